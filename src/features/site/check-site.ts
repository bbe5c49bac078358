/** Checks the option `site`. */

import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type FaultList, prefixReport } from '../../definition/definition-fault.ts'
import {
  checkOptions,
  type Expectation,
  isComplete,
  type OptionTable,
  required,
} from '../../definition/option-table.ts'
import type { SiteModel } from './site-model.ts'

const folder: Expectation<string | URL> = {
  expected: "a path from the working directory such as 'web', or a file: URL",
  accepts: (value): value is string | URL =>
    value instanceof URL ? value.protocol === 'file:' : typeof value === 'string' && value.trim() !== '',
}

const relativeFile: Expectation<string> = {
  expected: "a file in the folder such as 'index.html'",
  accepts: (value): value is string => isRelativePath(value) && !value.endsWith('/'),
}

const relativeFolder: Expectation<string> = {
  expected: "a folder in the folder such as 'assets/', with a slash at its end",
  accepts: (value): value is string => isRelativePath(value) && value.endsWith('/'),
}

/** Without empty segments and those that begin with a dot. */
function isRelativePath(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[^./\\][^/\\]*(?:\/(?!$)|\/?$))+$/.test(value)
}

const fieldValue: Expectation<string> = {
  expected: 'a text of 1 to 2000 printable ASCII characters',
  accepts: (value): value is string =>
    typeof value === 'string' && /^[\x20-\x7e]{1,2000}$/.test(value) && value.trim() !== '',
}

export const siteOptionTable = {
  folder: required(folder),
  fallback: relativeFile,
  immutable: relativeFolder,
  policy: fieldValue,
} satisfies OptionTable

/** A page loads nothing of other origins, and other origins do not show it in a frame. */
const defaultPolicy = "default-src 'self'; object-src 'none'; base-uri 'self'; frame-ancestors 'self'"

export function createSiteModel(given: unknown, base: string, faults: FaultList): SiteModel | undefined {
  if (given === undefined) return undefined
  const report = prefixReport('site', faults.at())
  const options = checkOptions(given, siteOptionTable, report)
  if (base === '') {
    report(
      "A site needs a path of its own for the service, but it has the option 'base' not.",
      "Add base: '/api'.",
    )
  }
  if (!isComplete(options, siteOptionTable)) return undefined
  return {
    folder: typeof options.folder === 'string' ? resolve(options.folder) : fileURLToPath(options.folder),
    fallback: options.fallback === undefined ? undefined : `/${options.fallback}`,
    immutable: options.immutable === undefined ? undefined : `/${options.immutable}`,
    policy: options.policy ?? defaultPolicy,
  }
}
