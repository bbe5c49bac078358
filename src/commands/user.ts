/** `restwell user`: creates and changes accounts directly in the database. */

import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { isDisabled } from '../access/basic-scheme.ts'
import { hashPassword } from '../access/password.ts'
import { suspendOnUpdate } from '../access/revocation.ts'
import type { FieldModel, JsonValue, Stored } from '../definition/model.ts'
import {
  type AccountContext,
  printLine,
  requireAccount,
  runAccountAction,
  writeOrFail,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { encodeRow, findFailedChecksOf } from '../service/first-start.ts'
import { always } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { nextVersion, updateRow } from '../store/row-fields.ts'
import { credentials } from './user-credentials.ts'

export const user: Command = {
  usage:
    'add LOGIN [--role ROLE] [--field NAME=VALUE] | password LOGIN | role LOGIN ROLE… | disable LOGIN | enable LOGIN | credentials LOGIN [--revoke ID|all]  [--password-stdin] [--service service.ts] [--database URL]',
  summary: 'Creates an account, sets its password or roles, disables it, or revokes its second factors.',
  run: (args, load) =>
    runAccountAction(
      'user',
      { args, load },
      { lists: ['role', 'field', 'revoke'], switches: ['password-stdin'] },
      new Map([
        ['add', add],
        ['password', changePassword],
        ['role', changeRoles],
        ['disable', disable],
        ['enable', enable],
        ['credentials', credentials],
      ]),
    ),
}

async function add(tool: AccountContext, words: readonly string[]): Promise<void> {
  const { accounts, config } = tool
  const [login] = words
  if (login === undefined || words.length > 1)
    throw new CommandFault(`Expected one account to add, got ${words.length}.`)
  const password = await choosePassword(tool)
  const roles = config.lists.role ?? []
  const values: Record<string, JsonValue> = {
    ...parseFields(tool),
    ...(roles.length > 0 ? { [requireRolesField(tool).name]: parseRoles(tool, roles) } : {}),
    [accounts.login.name]: login,
    [accounts.password.name]: password.text,
  }
  requireValid(tool, values)
  const row = await encodeRow(accounts.resource, values)
  await requireChecks(tool, row)
  await writeOrFail(tool, {
    kind: 'insert',
    table: accounts.resource.name,
    values: row,
    conditionAfter: always,
  })
  printLine(`Added ${login}.`)
  password.print()
}

async function changePassword(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  const { accounts } = tool
  const row = await requireAccount(tool, login)
  const password = await choosePassword(tool)
  requireValid(tool, { [accounts.password.name]: password.text }, 'some')
  await writeField(tool, row, accounts.password, await hashPassword(password.text))
  printLine(`${login} has a new password. Its sessions and tokens are revoked.`)
  password.print()
}

async function changeRoles(tool: AccountContext, [login, ...roles]: readonly string[]): Promise<void> {
  const row = await requireAccount(tool, login)
  const field = requireRolesField(tool)
  const value = parseRoles(tool, roles)
  requireValid(tool, { [field.name]: value }, 'some')
  await writeField(tool, row, field, field.encode(value))
  printLine(`${login} has the ${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}.`)
}

async function disable(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  await writeDisabled(tool, login, true)
  printLine(`${login} is disabled. Its password, sessions and tokens are refused.`)
}

async function enable(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  await writeDisabled(tool, login, false)
  printLine(`${login} is enabled. Its password, sessions and tokens are accepted again.`)
}

/** Leaves an account that has the value already as it is. */
async function writeDisabled(tool: AccountContext, login: string | undefined, value: boolean): Promise<void> {
  const row = await requireAccount(tool, login)
  const { disabled } = tool.accounts
  if (isDisabled(tool.accounts, row) !== value) await writeField(tool, row, disabled, disabled.encode(value))
}

async function writeField(tool: AccountContext, row: Row, field: FieldModel, value: Stored): Promise<void> {
  const { resource } = tool.accounts
  const at = new Date().toISOString()
  const values = nextVersion(resource, row, at, new Map([[field, value]]))
  await requireChecks(tool, values)
  await writeOrFail(
    tool,
    updateRow(resource, row, values),
    ...(await suspendOnUpdate(tool, resource, { before: row, after: values, isOwn: false, at })),
  )
}

/** Throws a CommandFault when the account would fail a check of the definition. */
async function requireChecks({ accounts, store }: AccountContext, values: readonly Stored[]): Promise<void> {
  const failed = await findFailedChecksOf(store, accounts.resource, values)
  if (failed.length === 0) return
  throw new CommandFault(failed.map(({ field, message }) => `${field}: ${message}`).join('\n'))
}

interface Password {
  readonly text: string
  /** Prints the password when it was generated. */
  print(): void
}

/** Reads it from standard input or generates it. Other users of the machine could read a flag. */
async function choosePassword({ config }: AccountContext): Promise<Password> {
  if (config.switches.has('password-stdin')) {
    const [line = ''] = (await text(process.stdin)).split(/\r?\n/)
    if (line === '') throw new CommandFault('Expected a password on standard input.')
    return { text: line, print: () => undefined }
  }
  const made = randomBytes(15).toString('base64url')
  return { text: made, print: () => printLine(`Password: ${made} (shown only now)`) }
}

function parseFields({ accounts, config }: AccountContext): Record<string, JsonValue> {
  const entries = (config.lists.field ?? []).map((given): [string, JsonValue] => {
    const equals = given.indexOf('=')
    const name = given.slice(0, equals)
    const field = equals > 0 ? accounts.resource.fieldByName.get(name) : undefined
    if (!field || field.ref || field.refs)
      throw new CommandFault(
        `--field must be NAME=VALUE with a field of ${accounts.resource.name}, not '${given}'.`,
      )
    return [name, parseValue(field, given.slice(equals + 1))]
  })
  return Object.fromEntries(entries)
}

/** Text is used literally; other values are parsed as JSON. */
function parseValue({ kind, name }: FieldModel, given: string): JsonValue {
  if (kind.shape === 'text') return given
  try {
    return JSON.parse(given) as JsonValue
  } catch (cause) {
    throw new CommandFault(`The value of '${name}' must be JSON, not '${given}'.`, { cause })
  }
}

function requireRolesField({ accounts }: AccountContext): FieldModel {
  if (!accounts.roles)
    throw new CommandFault("Accounts of this service have no roles. Declare 'roles' in 'accounts'.")
  return accounts.roles
}

function parseRoles(tool: AccountContext, roles: readonly string[]): JsonValue {
  if (requireRolesField(tool).item) return [...roles]
  const [role] = roles
  if (role === undefined || roles.length > 1)
    throw new CommandFault(`Expected one role, got ${roles.length}.`)
  return role
}

function requireValid(
  { accounts }: AccountContext,
  values: Readonly<Record<string, JsonValue>>,
  which: 'all' | 'some' = 'all',
): void {
  const { resource } = accounts
  const faults = resource.validate(values).map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
  const missing = resource.fields.filter(
    (field) => field.required && field.default === undefined && !field.state && !(field.name in values),
  )
  if (which === 'all') {
    faults.push(...missing.map(({ name }) => `${name}: required. Set it with --field ${name}=…`))
  }
  if (faults.length > 0) throw new CommandFault(faults.join('\n'))
}
