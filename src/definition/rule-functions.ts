/** The words for rules in definitions. Each makes plain data; access/ gives it its meaning. */

import { type Rule, type RuleValue, splitPath } from './rule.ts'

/** A rule, or a list of alternative rules. */
export type Rules = Rule | readonly Rule[]

/**
 * Passes every caller, with or without credentials.
 * @example
 * resource({ name: text() }, { access: { read: anyone } })
 */
export const anyone: Rule = Object.freeze({ kind: 'anyone' })
/**
 * Passes no caller. This is the default for access that a resource does not declare.
 * @example
 * resource({ name: text() }, { access: { read: anyone, delete: nobody } })
 */
export const nobody: Rule = Object.freeze({ kind: 'nobody' })
/**
 * Passes every authenticated caller: accounts, and callers with a JWT from a declared issuer,
 * whether or not they have an account.
 * @example
 * resource({ name: text() }, { access: { read: anyone, create: signedIn } })
 */
export const signedIn: Rule = Object.freeze({ kind: 'signed-in' })
/**
 * Passes the caller whose own account is the item. Only for the resource of the accounts.
 * @example
 * const users = resource(
 *   { email: email().unique().visibleTo(self), password: password() },
 *   { access: { read: anyone, update: self, delete: self } },
 * )
 */
export const self: Rule = Object.freeze({ kind: 'self' })

/**
 * Passes the caller whose account a reference of the item names. A path such as `article.author`
 * follows references of other items.
 * @example
 * resource(
 *   { title: text(), author: ref('users').fromPrincipal() },
 *   { access: { read: anyone, create: signedIn, update: owner('author') } },
 * )
 */
export function owner(path: string): Rule {
  // A path that is no string becomes an empty path, which checkDefinition reports.
  const steps = typeof path === 'string' ? splitPath(path) : []
  return Object.freeze({ kind: 'owner', path: Object.freeze(steps) })
}

/**
 * Passes callers with at least one of the roles. No role implies another.
 * @example
 * resource({ name: text() }, { access: { read: anyone, update: role('editor', 'admin') } })
 */
export function role(...roles: readonly string[]): Rule {
  return Object.freeze({ kind: 'role', roles: Object.freeze(roles) })
}

/**
 * Passes items in which every named field has the value, or one of the values of an array. A path
 * such as `project.public` of at most 3 steps follows references. A value may also be `caller`,
 * `callerField(…)` or `its(…)`.
 * @example
 * const status = choice(['draft', 'published', 'archived']).default('draft')
 * resource({ status }, { access: { read: where({ status: ['published', 'archived'] }) } })
 * @example
 * const access = { read: or(where({ 'project.public': true }), where({ team: callerField('team') })) }
 */
export function where(fields: Readonly<Record<string, RuleValue>>): Rule {
  return Object.freeze({ kind: 'where', fields: Object.freeze({ ...fields }) })
}

/**
 * Passes when the collection has an item whose fields have the values. The caller need not be able
 * to read that item. A path of at most 3 steps follows references and inverses; paths that begin with
 * the same steps lead through the same items.
 * @example
 * const isManager = exists('memberships', {
 *   user: caller,
 *   organisation: its('project.organisation'),
 *   role: ['manager', 'admin'],
 * })
 * const access = { read: isManager, update: isManager }
 * @example
 * const isColleague = exists('memberships', { user: its('id'), 'organisation.memberships.user': caller })
 */
export function exists(collection: string, fields: Readonly<Record<string, RuleValue>>): Rule {
  return Object.freeze({ kind: 'exists', collection, fields: Object.freeze({ ...fields }) })
}

/**
 * Passes when all of the rules pass.
 * @example
 * const draft = where({ status: 'draft' })
 * const access = { update: and(owner('author'), draft) }
 */
export function and(...rules: readonly Rule[]): Rule {
  return Object.freeze({ kind: 'all', of: Object.freeze(rules) })
}

/**
 * Passes when at least one of the rules passes. An array of rules means the same.
 * @example
 * const access = { update: or(owner('author'), role('editor')) }
 */
export function or(...rules: readonly Rule[]): Rule {
  return Object.freeze({ kind: 'any', of: Object.freeze(rules) })
}

/**
 * Passes when the rule does not pass.
 * @example
 * const access = { delete: and(owner('author'), not(where({ status: 'published' }))) }
 */
export function not(rule: Rule): Rule {
  return Object.freeze({ kind: 'not', of: rule })
}
