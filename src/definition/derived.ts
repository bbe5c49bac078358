/**
 * Derived fields as users declare them: values computed from the items of an inverse, or from other
 * fields of the item. They are never stored. Nothing is checked here, so that all faults are reported at once.
 */

import type { Field, FieldDeclaration, TraitsOf, ValueOf } from './field.ts'
import type { Rule } from './rule.ts'

type AnyFields = Readonly<Record<string, Field>>

/** A declared derived field. Its values are unknown, because users may write plain JavaScript. */
export type DerivedDeclaration = (
  | {
      readonly kind: 'aggregate'
      readonly operation: AggregateOperation
      readonly inverse: unknown
      /** Undefined for `count`. */
      readonly field: unknown
      /** The items that count; undefined: all. */
      readonly rule: unknown
    }
  | {
      readonly kind: 'computed'
      /** The field that describes the value. */
      readonly value: unknown
      readonly dependencies: unknown
      readonly compute: unknown
      readonly options: unknown
    }
) & {
  readonly isAlwaysShown: boolean
} & Pick<FieldDeclaration, 'label' | 'help'>

export type AggregateOperation = 'count' | 'sum' | 'avg' | 'min' | 'max'

/** `Symbol.for`, so that derived fields of another copy of this package are recognised. */
export const derivedBrand: unique symbol = Symbol.for('restwell.derived')
declare const computedFrom: unique symbol
declare const dependencyNames: unique symbol
declare const computedValue: unique symbol
declare const isAggregate: unique symbol

/** A derived field of a resource with the fields F. */
export interface Derived<F extends AnyFields = AnyFields, Value = unknown, Names = unknown> {
  readonly [derivedBrand]: DerivedDeclaration
  /** Only in the type: the fields it is computed from, and its value. */
  readonly [computedFrom]?: (fields: F) => void
  readonly [computedValue]?: Value
  /** Only in the type: the names it was given, which are checked after `.always()` too. */
  readonly [dependencyNames]?: Names
  /** Shows the field in lists too, without `fields` naming it. */
  always(): this
  /** The name of the field for people; without it, its name in words. */
  label(text: string): this
  /** A sentence that explains the value to people. */
  help(text: string): this
}

/** A derived field that lists can be filtered and sorted by. */
export interface DerivedAggregate<Value = unknown> extends Derived<AnyFields, Value, never> {
  /** Only in the type. */
  readonly [computedFrom]?: (fields: AnyFields) => void
  readonly [isAggregate]?: true
}

/** The value of a derived field. */
export type DerivedValueOf<D> = D extends { readonly [computedValue]?: infer Value } ? Value : never
/** The value that a list can be filtered by; never for computed fields. */
export type AggregateValueOf<D> = D extends { readonly [isAggregate]?: true }
  ? NonNullable<DerivedValueOf<D>>
  : never

/**
 * Options of a computed field. TypeScript knows the kinds of the values that the function receives only
 * without a modifier behind the call, so `always` is here too.
 */
export interface ComputedOptions {
  /** Shows the field in lists too, without `fields` naming it. */
  readonly always?: boolean
}

export interface ComputeContext {
  /** The time of the request. */
  readonly now: Date
}

/** The values that a computed field receives: its dependencies, absent where the item has none. */
export type DependencyValues<F extends AnyFields, N extends keyof F> = {
  readonly [K in N as 'optional' extends TraitsOf<F[K]> ? never : K]: ValueOf<F[K]>
} & {
  readonly [K in N as 'optional' extends TraitsOf<F[K]> ? K : never]?: ValueOf<F[K]>
}

/**
 * The number of items of an inverse that the caller may read.
 * @example
 * resource({ name: text() }, { derived: { open: count('tasks', where({ status: 'open' })) } })
 */
export function count(inverse: string, rule?: Rule): DerivedAggregate<number> {
  return aggregate('count', inverse, undefined, rule)
}

/**
 * The sum of a number field over the items of an inverse that the caller may read; 0 without items.
 * @example
 * resource({ name: text() }, { derived: { hours: sum('entries', 'hours') } })
 */
export function sum(inverse: string, field: string, rule?: Rule): DerivedAggregate<number | string> {
  return aggregate('sum', inverse, field, rule)
}

/**
 * The average of a number field over the items of an inverse that the caller may read.
 * @example
 * resource({ name: text() }, { derived: { rating: avg('reviews', 'stars') } })
 */
export function avg(
  inverse: string,
  field: string,
  rule?: Rule,
): DerivedAggregate<number | string | undefined> {
  return aggregate('avg', inverse, field, rule)
}

/**
 * The least value of a number or time over the items of an inverse that the caller may read.
 * @example
 * resource({ name: text() }, { derived: { nextDue: min('tasks', 'due', where({ status: 'open' })) } })
 */
export function min(
  inverse: string,
  field: string,
  rule?: Rule,
): DerivedAggregate<number | string | undefined> {
  return aggregate('min', inverse, field, rule)
}

/**
 * The greatest value of a number or time over the items of an inverse that the caller may read.
 * @example
 * resource({ name: text() }, { derived: { lastEntry: max('entries', 'createdAt') } })
 */
export function max(
  inverse: string,
  field: string,
  rule?: Rule,
): DerivedAggregate<number | string | undefined> {
  return aggregate('max', inverse, field, rule)
}

/**
 * A value computed by a pure function from the named fields, for callers who see all of them. The
 * function returns undefined where there is no value. `{ always: true }` behind it shows it in lists too.
 * @example
 * resource(
 *   { due: date(), status: choice(['open', 'done']) },
 *   {
 *     derived: {
 *       overdue: computed(boolean(), ['due', 'status'], (task, { now }) =>
 *         task.status === 'open' && task.due < now.toISOString().slice(0, 10),
 *       ),
 *     },
 *   },
 * )
 */
export function computed<F extends AnyFields, const N extends keyof F & string, V>(
  value: Field<V>,
  dependencies: readonly N[],
  compute: (values: DependencyValues<F, N>, context: ComputeContext) => V | undefined,
  options?: ComputedOptions,
): Derived<F, V | undefined, N> {
  return declareDerived({ kind: 'computed', value, dependencies, compute, options, ...withoutModifiers })
}

function aggregate<Value>(
  operation: AggregateOperation,
  inverse: string,
  field: string | undefined,
  rule: Rule | undefined,
): DerivedAggregate<Value> {
  return declareDerived({ kind: 'aggregate', operation, inverse, field, rule, ...withoutModifiers })
}

const withoutModifiers = { isAlwaysShown: false, label: undefined, help: undefined }

/** The members that are only in the type of D are optional. */
function declareDerived<D extends Derived<never>>(declared: DerivedDeclaration): D {
  const derived: Record<'always' | 'label' | 'help', (text: string) => D> & Pick<D, typeof derivedBrand> = {
    [derivedBrand]: Object.freeze(declared),
    always: () => declareDerived({ ...declared, isAlwaysShown: true }),
    label: (value) => declareDerived({ ...declared, label: { value } }),
    help: (value) => declareDerived({ ...declared, help: { value } }),
  }
  return Object.freeze(derived) as D
}

/** Returns the declaration, or undefined when the value is not a derived field. */
export function findDerivedDeclaration(value: unknown): DerivedDeclaration | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return (value as Partial<Derived>)[derivedBrand]
}
