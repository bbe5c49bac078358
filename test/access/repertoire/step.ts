/** One request of the non-interference test, and what requests can name: items, credentials, values. */

import fc from 'fast-check'
import type { DirectRequest, DirectResponse } from '../direct.ts'

export interface World {
  /** Items visible to the caller, items in only one of the databases, and items in neither. */
  readonly articles: readonly string[]
  readonly notes: readonly string[]
  readonly users: readonly string[]
  readonly tokens: readonly string[]
  readonly vaults: readonly string[]
  /** Visible to all callers, but not their states. */
  readonly cases: readonly string[]
  /** Visible to all callers, with members that are hidden. */
  readonly folders: readonly string[]
  /** Webhooks of the caller, of others and of nobody, and deliveries of each. */
  readonly webhooks: readonly string[]
  readonly deliveries: readonly string[]
  /** Second factors of the caller, of others and of nobody. */
  readonly accountCredentials: readonly string[]
  /** With files, among them hidden ones. */
  readonly scans: readonly string[]
  /** The contents of files that are visible, that only one of the databases has, and that neither has. */
  readonly contents: readonly string[]
  /** Names, of items that only one of the databases has among them. */
  readonly pages: readonly string[]
  readonly jobs: readonly string[]
  /** Authorization values, among them wrong ones; undefined: anonymous. */
  readonly credentials: readonly (string | undefined)[]
  /** Logins that exist in one database, in both, in neither. */
  readonly logins: readonly string[]
  /** Values that hidden fields have in one database, in both, in neither. */
  readonly values: readonly string[]
}

/** A request that may depend on earlier responses: their links and entity tags. */
export type Step = (responses: readonly DirectResponse[]) => DirectRequest

/** The requests of one row of the repertoire. */
export type Kind = (world: World) => fc.Arbitrary<Step>

export function request(
  world: World,
  line: fc.Arbitrary<string>,
  fields: fc.Arbitrary<Record<string, string>> = fc.constant({}),
  body: fc.Arbitrary<unknown> = fc.constant(undefined),
): fc.Arbitrary<Step> {
  return fc
    .tuple(line, fields, body, anyCredentials(world))
    .map(([line, fields, body, credentials]) => () => ({
      line,
      fields: { ...fields, ...credentials },
      body,
    }))
}

export function anyCredentials(world: World): fc.Arbitrary<Record<string, string>> {
  return fc
    .constantFrom(...world.credentials)
    .map((authorization): Record<string, string> => (authorization === undefined ? {} : { authorization }))
}
