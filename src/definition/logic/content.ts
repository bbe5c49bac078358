/** The types of the input and the result of actions: fields, and lists of objects. */

import type { Field, fieldBrand, TraitsOf, ValueOf } from '../field.ts'

declare const objects: unique symbol

/** The message of the compiler where a resource has a list of objects. */
interface NotInResources {
  readonly [objects]: 'Lists of objects are for inputs and results. Declare a resource with a reference.'
}

/** A list of objects in the input or the result of an action. Resources cannot have one. */
export interface ObjectList<F extends ContentFields = ContentFields, Optional extends boolean = boolean> {
  /** Only for the message of the compiler. */
  readonly [fieldBrand]?: NotInResources
  /** Only in the type. */
  readonly [objects]?: { readonly fields: F; readonly optional: Optional }
  optional(): ObjectList<F, true>
  /** The name of the list for people; without it, its name in words. */
  label(text: string): this
  help(text: string): this
}

/** The members of an input or a result. */
export type ContentFields = Readonly<Record<string, Field | ObjectList>>

type FieldsIn<L extends ObjectList> = NonNullable<L[typeof objects]>['fields']

type IsOptional<F> =
  F extends ObjectList<ContentFields, infer O>
    ? O
    : F extends Field
      ? 'optional' extends TraitsOf<F>
        ? true
        : false
      : never

type HasDefault<F> = F extends Field ? ('default' extends TraitsOf<F> ? true : false) : false

type ValueIn<F> = F extends ObjectList
  ? readonly ContentOf<FieldsIn<F>>[]
  : F extends Field
    ? ValueOf<F>
    : never

type SentIn<F> = F extends ObjectList
  ? readonly SentContentOf<FieldsIn<F>>[]
  : F extends Field
    ? ValueOf<F>
    : never

/** The input as code gets it, defaults included; the result as code returns it. `infer` makes messages show the members. */
export type ContentOf<F extends ContentFields> = {
  [N in keyof F as IsOptional<F[N]> extends true ? never : N]: ValueIn<F[N]>
} & {
  [N in keyof F as IsOptional<F[N]> extends true ? N : never]?: ValueIn<F[N]> | undefined
} extends infer All
  ? { readonly [N in keyof All]: All[N] }
  : never

/** The content that a client sends: members with a default may be left out. */
export type SentContentOf<F extends ContentFields> = {
  [N in keyof F as true extends IsOptional<F[N]> | HasDefault<F[N]> ? never : N]: SentIn<F[N]>
} & {
  [N in keyof F as true extends IsOptional<F[N]> | HasDefault<F[N]> ? N : never]?: SentIn<F[N]>
} extends infer All
  ? { readonly [N in keyof All]: All[N] }
  : never

/** The places in the content that a refusal can point to: `lines`, `lines/2/quantity`. */
export type PlaceIn<F extends ContentFields> = {
  [N in keyof F & string]: F[N] extends ObjectList<infer G>
    ? N | `${N}/${number}` | `${N}/${number}/${keyof G & string}`
    : N
}[keyof F & string]
