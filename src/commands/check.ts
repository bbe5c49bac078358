/** `restwell check`: whether a definition can be served, and what it means, in words. */

import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { findSampleFaults } from '../definition/sample-rows.ts'
import { formatRule } from '../describe/rule-description.ts'
import { collectionUri } from '../view/uri.ts'
import { type Command, CommandFault } from './command.ts'
import type { LoadedDefinition } from './load-definition.ts'
import { writeOutput } from './output.ts'

export const check: Command = {
  usage: '[service.ts] [--out FILE]',
  summary: 'Says whether the definition can be served, and explains it in words.',
  run: (args) => writeOutput(args, [], ({ definition }) => explainDefinition(definition)),
}

function explainDefinition({ model, sample }: LoadedDefinition): string {
  const faults = sample === undefined ? [] : findSampleFaults(model, sample)
  if (faults.length === 0) return explainModel(model)
  throw new CommandFault(`The sample cannot be written.\n  ${faults.join('\n  ')}`)
}

function explainModel(model: Model): string {
  const resources = [...model.resources.values()].map((resource) =>
    explainResource(model, resource),
  )
  return `${model.title} can be served.\n${explainAccounts(model)}\n${resources.join('\n')}`
}

function explainAccounts(model: Model): string {
  const { accounts } = model
  if (!accounts) return 'Nobody signs in: there are no accounts.\n'
  const { resource, login, password, roles, adminRole } = accounts
  const known = roles ? `, have the roles in '${roles.name}' ('${adminRole}' runs the service)` : ''
  return `Accounts are the items of ${resource.name}: they sign in with '${login.name}' and '${password.name}'${known}.\n${explainIssuers(model)}`
}

/** An issuer's word may reach an account that somebody else has made for that login. */
function explainIssuers({ accounts, issuers }: Model): string {
  if (!accounts) return ''
  const named = issuers.flatMap(({ issuer, login }) =>
    login === undefined ? [] : [{ issuer, login }],
  )
  if (named.length === 0) return ''
  const { resource, login: field } = accounts
  const lines = named.map(
    ({ issuer, login }) =>
      `A JWT of ${issuer} is the account whose '${field.name}' is in its claim '${login}'. The first one binds the account to its iss and sub.`,
  )
  const risk = accounts.selfChosenLogins
    ? `Anyone who may create or change ${resource.name} can claim a '${field.name}' that is not theirs. So the first JWT voids the password that the account has by then, with all its sessions and tokens; an administrator can set another.`
    : `Only callers with a role given to them set a '${field.name}', so passwords stay when the first JWT arrives.`
  return `${[...lines, risk].join('\n')}\n`
}

function explainResource(model: Model, resource: ResourceModel): string {
  const { access, key } = resource
  const uri = collectionUri(model, resource)
  const named = key
    ? `its '${key.name}', which may change: the old URI then leads to the new`
    : 'a UUID'
  const lines = [
    `${uri}: an item is ${uri}/{id}, and {id} is ${named}.`,
    `  read     ${formatRule(access.read)}`,
    `  create   ${formatRule(access.create)}`,
    `  update   ${formatRule(access.update)}`,
    `  delete   ${formatRule(access.delete)}`,
    ...explainOptions(resource),
    '  fields',
    ...resource.fields.map((field) => `    ${explainField(field)}`),
  ]
  return `${lines.join('\n')}\n`
}

function explainOptions(resource: ResourceModel): string[] {
  const { put, conditional, bulk, cache, search, tombstones, formerly } = resource
  return [
    put === 'create' && 'PUT makes an item that is not there.',
    conditional === 'required' && 'Every write needs a precondition, else 428.',
    bulk && 'One POST may bring many items.',
    cache && `Caches may keep it for ${cache.maxAge} s.`,
    search.length > 0 && `q looks for words in ${search.map(({ name }) => name).join(', ')}.`,
    tombstones && 'What is deleted answers 410.',
    formerly.length > 0 && `It was called ${formerly.join(', ')}, which answers 301.`,
  ].flatMap((line) => (line ? [`  ${line}`] : []))
}

function explainField(field: FieldModel): string {
  const { name, kind, ref, state } = field
  const words = [
    ref ? `a reference to ${ref.resource.name} (deleting that: ${ref.onDelete})` : kind,
    field.required ? undefined : 'optional',
    field.unique ? 'unique' : undefined,
    field.default === undefined ? undefined : `default ${JSON.stringify(field.default)}`,
    field.fromPrincipal ? 'set to the caller' : undefined,
    field.readOnly ? 'read-only' : undefined,
    field.writeOnly ? 'never shown' : undefined,
    field.visibleTo ? `seen by ${formatRule(field.visibleTo)}` : undefined,
    field.writableBy ? `set by ${formatRule(field.writableBy)}` : undefined,
    state ? `begins as '${state.initial}'` : undefined,
    ...(state?.transitions ?? []).map(
      ({ name: step, from, to, by, exclusive }) =>
        `${step}: ${from.join(' or ')} → ${to}${by ? ` by ${formatRule(by)}` : ''}${exclusive ? ' (exclusive)' : ''}`,
    ),
  ]
  return `${name}: ${words.filter((word) => word !== undefined).join(', ')}`
}
