/** A definition in words: accounts, resources with their rules, options and fields. */

import { formatRule } from '../access/rule-description.ts'
import { formatDuration } from '../definition/duration.ts'
import { isFileList } from '../definition/file-fields.ts'
import { formatUniqueSets } from '../definition/json-schemas.ts'
import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { formatOctetSize } from '../definition/octet-size.ts'
import { formatDerived } from '../describe/derived-description.ts'
import { methodsOfAction } from '../requests/context/operation-of.ts'
import { personalPartsOf } from '../requests/respond/cacheability.ts'
import { collectionUri } from '../views/uri.ts'

export function explainAccounts(model: Model): string {
  const { accounts } = model
  if (!accounts) return 'There are no accounts: all callers are anonymous.\n'
  const { resource, login, password, roles, adminRole } = accounts
  const known = roles ? `, and have the roles in '${roles.name}' (administrators: '${adminRole}')` : ''
  return `The items of ${resource.name} are the accounts. They sign in with '${login.name}' and '${password.name}'${known}.\n${explainIssuers(model)}`
}

/** Warns when callers choose logins: a JWT may then reach an account that another person created. */
function explainIssuers({ accounts, issuers }: Model): string {
  if (!accounts) return ''
  const named = issuers.flatMap(({ issuer, login }) => (login === undefined ? [] : [{ issuer, login }]))
  if (named.length === 0) return ''
  const { resource, login: field } = accounts
  const lines = named.map(
    ({ issuer, login }) =>
      `A JWT from ${issuer} signs in the account whose '${field.name}' equals its claim '${login}'. The first JWT binds the account to its iss and sub.`,
  )
  const risk = accounts.selfChosenLogins
    ? `Callers who may create or change ${resource.name} can claim a '${field.name}' that is not theirs. Therefore the first JWT removes the password, sessions and tokens of the account. An administrator can set a new password.`
    : `Only callers with a role set a '${field.name}', so passwords stay valid after the first JWT.`
  return `${[...lines, risk].join('\n')}\n`
}

export function explainResource(model: Model, resource: ResourceModel): string {
  const { access, keyField } = resource
  const uri = collectionUri(model, resource)
  const named = keyField
    ? `its '${keyField.name}'. When that changes, the old URI redirects to the new one`
    : 'a UUID'
  const lines = [
    `${uri}: an item is ${uri}/{id}, and {id} is ${named}.`,
    `  read     ${formatRule(access.read)}`,
    `  create   ${formatRule(access.create)}`,
    `  update   ${formatRule(access.update)}`,
    `  delete   ${formatRule(access.delete)}`,
    ...explainOptions(resource),
    ...explainSubCollections(uri, resource),
    ...explainLogic(resource),
    ...explainActions(uri, resource),
    '  fields',
    ...resource.fields.map((field) => `    ${explainField(field)}`),
    ...explainDerived(resource),
  ]
  return `${lines.join('\n')}\n`
}

function explainOptions(resource: ResourceModel): string[] {
  const { put, conditional, bulk, nested, search, tombstones, formerly } = resource
  return [
    put === 'create' && 'PUT creates an item that does not exist.',
    conditional === 'required' && 'A write without a precondition is refused with 428.',
    bulk && 'One POST can create many items.',
    nested.length > 0 && `A POST can contain ${nested.map(({ name }) => name).join(', ')}.`,
    explainCache(resource),
    search.length > 0 && `q searches ${search.map(({ name }) => name).join(', ')}.`,
    explainHistory(resource),
    tombstones && 'A deleted item has status 410.',
    formatUniqueSets(resource),
    formerly.length > 0 && `Former name: ${formerly.join(', ')} (redirects with 301).`,
  ].flatMap((line) => (line ? [`  ${line}`] : []))
}

function explainCache(resource: ResourceModel): string | undefined {
  if (!resource.cache) return undefined
  const { maxAge, shared } = resource.cache
  const cached = shared ? 'Caches may store it' : "Only the client's own cache may store it"
  const isPersonal = personalPartsOf(resource).length > 0
  return `${cached} for ${maxAge} s${isPersonal ? ', if the caller sent no credentials' : ''}.`
}

function explainHistory({ history }: ResourceModel): string | undefined {
  if (!history) return undefined
  const { keep, read } = history
  const time = keep === undefined ? 'as long as the change log' : formatDuration(keep)
  const readers = read ? ` Callers who may read the item may read it if they are ${formatRule(read)}.` : ''
  return `The history of items is kept for ${time}.${readers}`
}

function explainSubCollections(uri: string, { relations }: ResourceModel): string[] {
  return [...relations.values()].flatMap((relation) => {
    if (relation.kind !== 'inverse') return []
    const { name, target, field } = relation
    return [`  ${uri}/{id}/${name} lists the items of ${target.name} whose '${field.name}' is the item.`]
  })
}

function explainLogic({ logic }: ResourceModel): string[] {
  if (!logic) return []
  const checks = logic.checks.map(({ field, message }) => `    ${field}: ${message}`)
  const [before, after] = [Object.keys(logic.before), Object.keys(logic.after)]
  return [
    ...(checks.length > 0 ? ['  checks', ...checks] : []),
    ...(before.length > 0 ? [`  Code runs before ${before.join(', ')}.`] : []),
    ...Object.entries(logic.schedules).map(([name, { text }]) => `  Code runs at '${text}' UTC: ${name}.`),
    ...(after.length > 0 ? [`  Code runs after the commit when an item was ${after.join(', ')}.`] : []),
  ]
}

/** The operations and schedules of the service itself; empty without any. */
export function explainService({ base, service }: Model): string {
  if (!service) return ''
  return `\nThe service itself\n${[...explainActions(base, service), ...explainLogic(service)].join('\n')}\n`
}

function explainActions(uri: string, { actions }: ResourceModel): string[] {
  if (actions.size === 0) return []
  const lines = [...actions.values()].map((action) => {
    const { name, on, by, input } = action
    const [method] = methodsOfAction(action)
    const target = on === 'item' ? `${uri}/{id}/${name}` : `${uri}/${name}`
    const members = input.fields.map((field) => explainField(field)).join('; ')
    return `    ${method} ${target}: ${formatRule(by)}${members === '' ? '' : ` (${members})`}`
  })
  return ['  actions', ...lines]
}

function explainDerived({ derived }: ResourceModel): string[] {
  if (derived.length === 0) return []
  return ['  derived fields', ...derived.map((one) => `    ${one.field.name}: ${formatDerived(one)}`)]
}

function explainKind({ kind, ref, refs, file, item, schema }: FieldModel): string {
  if (item?.file) return `a list of at most ${schema.maxItems} files, each ${explainKind(item)}`
  if (file) return `a file of at most ${formatOctetSize(file.max)} (${file.types.join(', ')})`
  if (ref) return `a reference to ${ref.resource.name} (on delete: ${ref.onDelete})`
  if (!refs) return kind.name
  return `a set of at most ${refs.max} references to ${refs.resource.name} (on delete: ${refs.onDelete})`
}

function explainField(field: FieldModel): string {
  const { name, state } = field
  const words = [
    explainKind(field),
    field.required ? undefined : 'optional',
    field.unique ? 'unique' : undefined,
    field.default === undefined || field.refs || isFileList(field)
      ? undefined
      : `default ${JSON.stringify(field.default)}`,
    field.fromPrincipal ? 'set to the caller' : undefined,
    field.readOnly ? 'read-only' : undefined,
    field.immutable ? 'immutable' : undefined,
    field.writeOnly ? 'write-only' : undefined,
    field.visibleTo ? `visible to ${formatRule(field.visibleTo)}` : undefined,
    field.writableBy ? `writable by ${formatRule(field.writableBy)}` : undefined,
    state ? `initially '${state.initial}'` : undefined,
    ...(state?.transitions ?? []).map(
      ({ name: step, from, to, by, exclusive }) =>
        `${step}: ${from.join(' or ')} → ${to}${by ? ` by ${formatRule(by)}` : ''}${exclusive ? ' (exclusive)' : ''}`,
    ),
  ]
  return `${name}: ${words.filter((word) => word !== undefined).join(', ')}`
}
