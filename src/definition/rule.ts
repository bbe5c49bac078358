/**
 * Access rules as data. One rule serves as a check on a record, as an SQL predicate on a list, as
 * a sentence in the documentation; access/ gives it its meaning, nothing here does.
 */

export type Rule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'signed-in' }
  /** The record is the caller's own account. */
  | { readonly kind: 'self' }
  /** The reference at the end of the path names the caller; all but the last step are references. */
  | { readonly kind: 'owner'; readonly path: readonly string[] }
  | { readonly kind: 'role'; readonly roles: readonly string[] }
  /** Every named field has the value (or one of the values). */
  | { readonly kind: 'where'; readonly fields: Readonly<Record<string, WhereValue>> }
  | { readonly kind: 'any'; readonly of: readonly Rule[] }
  | { readonly kind: 'all'; readonly of: readonly Rule[] }
  | { readonly kind: 'not'; readonly of: Rule }

/** A value as it stands in a JSON body; an array means any of them. */
export type WhereValue = string | number | boolean | readonly (string | number | boolean)[]
