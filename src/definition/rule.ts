/**
 * Access rules as data. access/rule-condition.ts compiles them to conditions, and
 * describe/rule-description.ts describes them in words.
 */

export type Rule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'signed-in' }
  /** The row is the caller's own account. */
  | { readonly kind: 'self' }
  /** The reference at the end of the path is the caller's account. */
  | { readonly kind: 'owner'; readonly path: readonly string[] }
  | { readonly kind: 'role'; readonly roles: readonly string[] }
  /** Every named field has the value (or one of the values). */
  | { readonly kind: 'where'; readonly fields: Readonly<Record<string, WhereValue>> }
  | { readonly kind: 'any'; readonly of: readonly Rule[] }
  | { readonly kind: 'all'; readonly of: readonly Rule[] }
  | { readonly kind: 'not'; readonly of: Rule }

/** A JSON value; an array means any of its values. */
export type WhereValue = string | number | boolean | readonly (string | number | boolean)[]
