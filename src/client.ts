/**
 * `restwell/client`: the client with the types of a definition, without generating anything. Only
 * the type of the definition is needed, so that nothing of the service reaches a browser.
 */

import type { Field, TargetOf, TraitsOf, ValueOf } from './definition/field.ts'
import type { CreateOf, PatchOf, Resource, RowOf, resourceBrand } from './definition/resource.ts'
import type { AnyDefinition, definitionBrand, Resources } from './definition/service-definition.ts'
import { client as connect } from './describe/client/runtime.ts'
import type { Client, ClientOptions, Shapes } from './describe/client/types.ts'

export { Conflict, Problem } from './describe/client/runtime.ts'
export type {
  Client,
  ClientOptions,
  Collection,
  ContentFault,
  Page,
  Query,
} from './describe/client/types.ts'

/** `client<typeof service>('http://localhost:3000')`. */
export function client<D extends AnyDefinition>(
  base: string | URL,
  options?: ClientOptions,
): Client<ShapesOf<D>> {
  return connect<Shapes>(base, options) as unknown as Client<ShapesOf<D>>
}

/** The collections of a definition, as the client sees them. */
export type ShapesOf<D extends AnyDefinition> = {
  readonly tokens: TokenShape
} & OfResources<D[typeof definitionBrand]['resources']>

type OfResources<R extends Resources> = {
  readonly [N in keyof R]: {
    readonly row: RowOf<R[N]>
    readonly create: CreateOf<R[N]>
    readonly replace: CreateOf<R[N]> | ReplaceOf<R[N]>
    readonly patch: PatchOf<R[N]>
    readonly filter: FilterOf<R[N]>
    readonly embed: EmbedOf<R, R[N]>
  }
}

/** Credentials that the caller made. The secret `token` is shown only by `create`. */
interface TokenShape {
  readonly row: TokenRow
  readonly create: Partial<Pick<TokenRow, 'name' | 'scopes'>> & { readonly expiresIn?: number }
  readonly created: TokenRow & { readonly token: string }
  readonly replace: never
  readonly patch: never
  readonly filter: TokenRow
  readonly embed: object
}

interface TokenRow {
  readonly id: string
  readonly name?: string
  readonly scopes: readonly string[]
  readonly expiresAt?: string
  readonly lastUsedOn?: string
  readonly owner: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** The references of a resource, each with the row of its target. */
type EmbedOf<R extends Resources, Of extends Resource> = {
  readonly [N in keyof FieldsOf<Of> as TargetOf<FieldsOf<Of>[N]> extends never ? never : N]: RowOf<
    R[TargetOf<FieldsOf<Of>[N]>]
  >
}

type FieldsOf<R extends Resource> = R[typeof resourceBrand]['fields']

/** What was got, with changes: passwords and the like may stay out of it. */
type ReplaceOf<R extends Resource> = RowOf<R> & Partial<Pick<CreateOf<R>, WriteOnly<R>>>

type WriteOnly<R extends Resource> = Exclude<keyof CreateOf<R>, keyof RowOf<R>>

type FilterOf<R extends Resource> = {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
} & {
  readonly [N in keyof FieldsOf<R> as Shown<FieldsOf<R>[N], N>]: ValueOf<FieldsOf<R>[N]>
}

type Shown<F extends Field, N> = Extract<TraitsOf<F>, 'writeOnly'> extends never ? N : never
