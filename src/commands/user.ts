/** `restwell user`: accounts made and changed by whoever holds the database. */

import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { adminRequirementOnUpdate } from '../access/last-admin.ts'
import { hashPassword } from '../access/password.ts'
import {
  CREATED_AT,
  FIRST_FIELD_INDEX,
  type FieldModel,
  IDENTITY,
  type JsonValue,
  type Stored,
  VERSION,
} from '../definition/model.ts'
import { encodeRow } from '../service/first-start.ts'
import { always } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { type Command, CommandFault } from './command.ts'
import { accountRow, runTool, say, type Tool, written } from './tool.ts'

export const user: Command = {
  usage:
    'add LOGIN [--role ROLE] [--field NAME=VALUE] | password LOGIN | role LOGIN ROLE…  [--password-stdin] [--service service.ts] [--database URL]',
  summary: 'Makes an account, or gives it another password or other roles.',
  run: (args) =>
    runTool(
      args,
      { values: ['role', 'field'], switches: ['password-stdin'] },
      new Map([
        ['add', add],
        ['password', changePassword],
        ['role', changeRoles],
      ]),
    ),
}

async function add(tool: Tool, [login, ...rest]: readonly string[]): Promise<void> {
  const { accounts, config } = tool
  if (login === undefined || rest.length > 0) throw new CommandFault('Name one account to add.')
  const password = await passwordFor(tool)
  const roles = config.values.role ?? []
  const values: Record<string, JsonValue> = {
    ...givenFields(tool),
    ...(roles.length > 0 ? { [rolesField(tool).name]: rolesValue(tool, roles) } : {}),
    [accounts.login.name]: login,
    [accounts.password.name]: password.text,
  }
  refuseFaults(tool, values)
  const row = await encodeRow(accounts.resource, values)
  await written(tool, {
    kind: 'insert',
    table: accounts.resource.name,
    values: row,
    result: always,
  })
  say(`Added ${login}.`)
  password.tell()
}

async function changePassword(tool: Tool, [login]: readonly string[]): Promise<void> {
  const { accounts } = tool
  const row = await accountRow(tool, login)
  const password = await passwordFor(tool)
  refuseFaults(tool, { [accounts.password.name]: password.text }, 'some')
  await changed(tool, row, accounts.password, await hashPassword(password.text))
  say(`${login} has a new password; tokens made with the old one are dead.`)
  password.tell()
}

async function changeRoles(tool: Tool, [login, ...roles]: readonly string[]): Promise<void> {
  const row = await accountRow(tool, login)
  const field = rolesField(tool)
  const value = rolesValue(tool, roles)
  refuseFaults(tool, { [field.name]: value }, 'some')
  await changed(tool, row, field, field.encode(value))
  say(`${login} is ${roles.join(', ')} now.`)
}

async function changed(tool: Tool, row: Row, field: FieldModel, value: Stored): Promise<void> {
  const { resource } = tool.accounts
  const version = row[VERSION] as number
  const fields = row.slice(FIRST_FIELD_INDEX, FIRST_FIELD_INDEX + resource.fields.length)
  const identity = row[IDENTITY] as string
  const now = new Date().toISOString()
  const values = [identity, version + 1, row[CREATED_AT] as string, now, ...fields].with(
    field.index,
    value,
  )
  const conditions = { guard: always, result: always }
  await written(
    tool,
    { kind: 'replace', table: resource.name, identity, version, values, ...conditions },
    ...adminRequirementOnUpdate(tool.model, resource, row, values),
  )
}

interface Password {
  readonly text: string
  /** Says it where it was made up here: nobody else knows it. */
  tell(): void
}

/** Never from a flag, which other users of the machine could read. */
async function passwordFor({ config }: Tool): Promise<Password> {
  if (config.switches.has('password-stdin')) {
    const [line = ''] = (await text(process.stdin)).split(/\r?\n/)
    if (line === '') throw new CommandFault('There is no password on standard input.')
    return { text: line, tell: () => undefined }
  }
  const made = randomBytes(15).toString('base64url')
  return { text: made, tell: () => say(`Password: ${made} (shown only now)`) }
}

function givenFields({ accounts, config }: Tool): Record<string, JsonValue> {
  const entries = (config.values.field ?? []).map((given): [string, JsonValue] => {
    const equals = given.indexOf('=')
    const name = given.slice(0, equals)
    const field = equals > 0 ? accounts.resource.field.get(name) : undefined
    if (!field || field.ref) throw new CommandFault(`--field needs NAME=VALUE, not '${given}'.`)
    return [name, parsedValue(field, given.slice(equals + 1))]
  })
  return Object.fromEntries(entries)
}

/** Text as it stands; other kinds as JSON has them. */
function parsedValue({ kind, name }: FieldModel, given: string): JsonValue {
  if (!['integer', 'number', 'boolean', 'list', 'json'].includes(kind)) return given
  try {
    return JSON.parse(given) as JsonValue
  } catch (cause) {
    throw new CommandFault(`The value of '${name}' must be JSON, not '${given}'.`, { cause })
  }
}

function rolesField({ accounts }: Tool): FieldModel {
  if (!accounts.roles) throw new CommandFault('Accounts of this service have no roles.')
  return accounts.roles
}

function rolesValue(tool: Tool, roles: readonly string[]): JsonValue {
  if (rolesField(tool).kind === 'list') return [...roles]
  const [role] = roles
  if (role === undefined || roles.length > 1) throw new CommandFault('Name one role.')
  return role
}

function refuseFaults(
  { accounts }: Tool,
  values: Readonly<Record<string, JsonValue>>,
  which: 'all' | 'some' = 'all',
): void {
  const { resource } = accounts
  const faults = resource
    .validate(values)
    .map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
  const missing = resource.fields.filter(
    (field) =>
      field.required && field.default === undefined && !field.state && !(field.name in values),
  )
  if (which === 'all') {
    faults.push(...missing.map(({ name }) => `${name}: give it with --field ${name}=…`))
  }
  if (faults.length > 0) throw new CommandFault(faults.join('\n'))
}
