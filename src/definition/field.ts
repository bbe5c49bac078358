/**
 * Fields as users declare them: a kind with its options, and chained modifiers such as `.unique()`.
 * Each modifier returns a new field. Nothing is checked here, so that all faults are reported at once.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Kind } from './kinds/kind.ts'
import type { Rule } from './rule.ts'

/** A declared field. Its values are unknown, because users may write plain JavaScript. */
export interface FieldDeclaration {
  readonly kind: Kind
  readonly options: unknown
  /** The declared items of a list. */
  readonly item: unknown
  readonly unique: boolean
  readonly optional: boolean
  readonly default: { readonly value: unknown } | undefined
  readonly readOnly: boolean
  readonly immutable: boolean
  readonly writeOnly: boolean
  readonly visibleTo: readonly unknown[] | undefined
  readonly writableBy: readonly unknown[] | undefined
  readonly fromPrincipal: boolean
  readonly formerly: readonly unknown[]
  readonly filterable: unknown
  readonly label: { readonly value: unknown } | undefined
  readonly help: { readonly value: unknown } | undefined
}

/** `Symbol.for`, so that fields of another copy of this package are recognised. */
export const fieldBrand: unique symbol = Symbol.for('restwell.field')

/** The properties of a field that the inferred types depend on. */
export type FieldTrait =
  | 'optional'
  | 'default'
  | 'readOnly'
  | 'immutable'
  | 'writeOnly'
  | 'fromPrincipal'
  | 'state'
  | 'list'
  | 'ref'
  | 'refs'
  | 'quantity'
  | 'time'
  | 'file'
  | 'files'

declare const inferred: unique symbol
declare const target: unique symbol
declare const inverse: unique symbol

export interface Field<Value = unknown, Traits extends FieldTrait = FieldTrait> {
  readonly [fieldBrand]: FieldDeclaration
  /** Only in the type; absent at run time. */
  readonly [inferred]?: { readonly value: Value; readonly traits: Traits }
  /** The name of the field for people; without it, its name in words. */
  label(text: string): this
  /** A sentence that helps people to fill in the field. */
  help(text: string): this
}

export type ValueOf<F extends Field> = NonNullable<F[typeof inferred]>['value']
/** The target collection of a reference; never for other fields. */
export type TargetOf<F extends Field> = F extends RefField<infer _, infer T> ? T : never
/** The inverse of a reference; never for other fields and references without one. */
export type InverseOf<F extends Field> = F extends RefField<infer _, infer _Target, infer I> ? I : never
/** The target collection of a set of references; never for other fields. */
export type RefsTargetOf<F extends Field> = F extends RefsField<infer _, infer T> ? T : never
export type TraitsOf<F extends Field> = NonNullable<F[typeof inferred]>['traits']

/** A single value that can be unique. */
export interface ValueField<V, T extends FieldTrait = never> extends Field<V, T> {
  unique(): ValueField<V, T>
  optional(): ValueField<V, T | 'optional'>
  default(value: V): ValueField<V, T | 'default'>
  readOnly(): ValueField<V, T | 'readOnly'>
  /** Requests set it when the item is created, and cannot change it afterwards. */
  immutable(): ValueField<V, T | 'immutable'>
  writeOnly(): ValueField<V, T | 'writeOnly'>
  visibleTo(...rules: readonly Rule[]): ValueField<V, T>
  writableBy(...rules: readonly Rule[]): ValueField<V, T>
  formerly(...names: readonly string[]): ValueField<V, T>
  filterable(filterable: false): ValueField<V, T>
}

/** A value that cannot be unique: a boolean, a list, JSON. */
export interface PlainField<V, T extends FieldTrait = never> extends Field<V, T> {
  optional(): PlainField<V, T | 'optional'>
  default(value: V): PlainField<V, T | 'default'>
  readOnly(): PlainField<V, T | 'readOnly'>
  /** Requests set it when the item is created, and cannot change it afterwards. */
  immutable(): PlainField<V, T | 'immutable'>
  writeOnly(): PlainField<V, T | 'writeOnly'>
  visibleTo(...rules: readonly Rule[]): PlainField<V, T>
  writableBy(...rules: readonly Rule[]): PlainField<V, T>
  formerly(...names: readonly string[]): PlainField<V, T>
  filterable(filterable: false): PlainField<V, T>
}

export interface RefField<
  T extends FieldTrait = 'ref',
  Target extends string = string,
  Inverse extends string = string,
> extends Field<string, T> {
  /** Only in the type: the target collection. */
  readonly [target]?: Target
  /** Only in the type: the name of the relation back; never when it has none. */
  readonly [inverse]?: Inverse
  unique(): RefField<T, Target, Inverse>
  optional(): RefField<T | 'optional', Target, Inverse>
  readOnly(): RefField<T | 'readOnly', Target, Inverse>
  /** Requests set it when the item is created, and cannot change it afterwards. */
  immutable(): RefField<T | 'immutable', Target, Inverse>
  visibleTo(...rules: readonly Rule[]): RefField<T, Target, Inverse>
  writableBy(...rules: readonly Rule[]): RefField<T, Target, Inverse>
  /** Sets the reference to the caller's account when the item is created; requests cannot set it. */
  fromPrincipal(): RefField<T | 'fromPrincipal', Target, Inverse>
  formerly(...names: readonly string[]): RefField<T, Target, Inverse>
  filterable(filterable: false): RefField<T, Target, Inverse>
}

export interface RefsField<T extends FieldTrait = 'refs', Target extends string = string>
  extends Field<readonly string[], T> {
  /** Only in the type: the target collection. */
  readonly [target]?: Target
  /** Requests set it when the item is created, and cannot change it afterwards. */
  immutable(): RefsField<T | 'immutable', Target>
  visibleTo(...rules: readonly Rule[]): RefsField<T, Target>
  writableBy(...rules: readonly Rule[]): RefsField<T, Target>
  formerly(...names: readonly string[]): RefsField<T, Target>
  filterable(filterable: false): RefsField<T, Target>
}

export interface StateField<V> extends Field<V, 'state'> {
  visibleTo(...rules: readonly Rule[]): StateField<V>
  writableBy(...rules: readonly Rule[]): StateField<V>
  formerly(...names: readonly string[]): StateField<V>
  filterable(filterable: false): StateField<V>
}

export interface PasswordField<T extends FieldTrait = 'writeOnly'> extends Field<string, T> {
  optional(): PasswordField<T | 'optional'>
  writableBy(...rules: readonly Rule[]): PasswordField<T>
  formerly(...names: readonly string[]): PasswordField<T>
}

/** A file as a representation shows it. */
export interface FileValue {
  readonly href: string
  readonly name: string
  readonly type: string
  /** In octets. */
  readonly size: number
  /** As in Repr-Digest (RFC 9530): `sha-256=:…:`. */
  readonly digest: string
}

export interface FileField<T extends FieldTrait = 'file'> extends Field<FileValue, T> {
  optional(): FileField<T | 'optional'>
  visibleTo(...rules: readonly Rule[]): FileField<T>
  writableBy(...rules: readonly Rule[]): FileField<T>
  formerly(...names: readonly string[]): FileField<T>
}

/** Without `.optional()` an item that has no files has an empty list. */
export interface FileListField<T extends FieldTrait = 'files'> extends Field<readonly FileValue[], T> {
  optional(): FileListField<T | 'optional'>
  visibleTo(...rules: readonly Rule[]): FileListField<T>
  writableBy(...rules: readonly Rule[]): FileListField<T>
  formerly(...names: readonly string[]): FileListField<T>
}

type Modifier = keyof typeof modifiers

const presentationModifiers = ['label', 'help'] as const
const commonModifiers = [
  ...presentationModifiers,
  'visibleTo',
  'writableBy',
  'formerly',
  'filterable',
] as const
export const stateModifiers: readonly Modifier[] = commonModifiers
export const plainModifiers: readonly Modifier[] = [
  ...commonModifiers,
  'optional',
  'default',
  'readOnly',
  'immutable',
  'writeOnly',
]
export const valueModifiers: readonly Modifier[] = [...plainModifiers, 'unique']
export const refModifiers: readonly Modifier[] = [
  ...commonModifiers,
  'unique',
  'optional',
  'readOnly',
  'immutable',
  'fromPrincipal',
]
export const refsModifiers: readonly Modifier[] = [...commonModifiers, 'immutable']
export const passwordModifiers: readonly Modifier[] = [
  ...presentationModifiers,
  'optional',
  'writableBy',
  'formerly',
]
export const fileModifiers: readonly Modifier[] = [...passwordModifiers, 'visibleTo']

export const modifiers = {
  unique: () => ({ unique: true }),
  optional: () => ({ optional: true }),
  default: ([value]: readonly unknown[]) => ({ default: { value } }),
  readOnly: () => ({ readOnly: true }),
  immutable: () => ({ immutable: true }),
  writeOnly: () => ({ writeOnly: true }),
  visibleTo: (rules: readonly unknown[]) => ({ visibleTo: rules }),
  writableBy: (rules: readonly unknown[]) => ({ writableBy: rules }),
  fromPrincipal: () => ({ fromPrincipal: true }),
  formerly: (names: readonly unknown[]) => ({ formerly: names }),
  filterable: ([filterable]: readonly unknown[]) => ({ filterable }),
  label: ([value]: readonly unknown[]) => ({ label: { value } }),
  help: ([value]: readonly unknown[]) => ({ help: { value } }),
} satisfies Record<string, (parameters: readonly unknown[]) => Partial<FieldDeclaration>>

export interface NewField {
  readonly kind: Kind
  readonly options: unknown
  readonly item?: unknown
}

/** Returns a field with these modifiers, which the type F must name too. */
export function declareField<F extends Field>(field: NewField, offered: readonly Modifier[]): F {
  return chain({ item: undefined, ...withoutModifiers, ...field }, offered) as F
}

const withoutModifiers = {
  unique: false,
  optional: false,
  default: undefined,
  readOnly: false,
  immutable: false,
  writeOnly: false,
  visibleTo: undefined,
  writableBy: undefined,
  fromPrincipal: false,
  formerly: [],
  filterable: true,
  label: undefined,
  help: undefined,
} satisfies Partial<FieldDeclaration>

/** Returns the names of the modifiers that the field has. */
export function usedModifiers(declared: FieldDeclaration): readonly string[] {
  const given: Readonly<Record<string, unknown>> = { ...declared }
  const changed = Object.entries(withoutModifiers).filter(
    ([name, initial]) => !isDeepStrictEqual(given[name], initial),
  )
  return changed.map(([name]) => name)
}

function chain(declared: FieldDeclaration, offered: readonly Modifier[]): Field {
  const methods = offered.map((name) => [
    name,
    (...parameters: unknown[]) => chain({ ...declared, ...modifiers[name](parameters) }, offered),
  ])
  return Object.freeze({ ...Object.fromEntries(methods), [fieldBrand]: Object.freeze(declared) })
}

/** Returns the declaration, or undefined when the value is not a field. */
export function findFieldDeclaration(field: unknown): FieldDeclaration | undefined {
  if (typeof field !== 'object' || field === null) return undefined
  return (field as Partial<Field>)[fieldBrand]
}
