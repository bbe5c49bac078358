/** `restwell token`: creates, lists and revokes access tokens directly in the database. */

import {
  createApiToken,
  defaultTokenLifetime,
  makeRoomForToken,
  type TokenContext,
} from '../access/account-tokens.ts'
import { accountFromRow } from '../access/basic-scheme.ts'
import { type FieldModel, IDENTITY } from '../definition/model.ts'
import { allScopes, maxTokenLifetime } from '../definition/tokens-resource.ts'
import {
  type AccountContext,
  printLine,
  requireAccount,
  runAccountAction,
  writeOrFail,
} from '../operation/command-frame/account-command.ts'
import { type Command, CommandFault } from '../operation/command-frame/command.ts'
import { always, equals } from '../store/condition.ts'
import type { Row } from '../store/row.ts'
import { deleteRow } from '../store/row-fields.ts'
import { allRows, findRow } from '../store/table-rows.ts'

export const token: Command = {
  usage:
    'make LOGIN [--name NAME] [--scope SCOPE] [--expires-in SECONDS] | list [LOGIN] | revoke ID  [--service service.ts] [--database URL]',
  summary: 'Creates a token for an account, lists tokens, or revokes one.',
  run: (args, load) =>
    runAccountAction(
      'token',
      { args, load },
      { values: ['name', 'expires-in'], lists: ['scope'] },
      new Map([
        ['make', create],
        ['list', list],
        ['revoke', revoke],
      ]),
    ),
}

function tokensOf({ model, accounts, store }: AccountContext): TokenContext {
  // A model with accounts has tokens.
  const resource = model.tokens as TokenContext['resource']
  return { resource, accounts, store, now: Date.now, observe: () => undefined }
}

async function create(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  const { values, lists } = tool.config
  const tokens = tokensOf(tool)
  const owner = accountFromRow(tool.accounts, await requireAccount(tool, login))
  if (!owner) throw new CommandFault('The account is disabled. Run restwell user enable first.')
  const name = values.name
  const scopes = lists.scope ?? allScopes
  const faults = tokens.resource
    .validate({ name, scopes })
    .map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
  if (faults.length > 0) throw new CommandFault(faults.join('\n'))
  const expiresAt = Date.now() + parseLifetime(values['expires-in']) * 1000
  if (!(await makeRoomForToken(tokens, owner)))
    throw new CommandFault(`${login} has the maximum number of tokens. Revoke one first.`)
  const made = createApiToken(tokens, { owner, name, scopes, expiresAt })
  const table = tokens.resource.name
  await writeOrFail(tool, { kind: 'insert', table, values: made.values, conditionAfter: always })
  printLine(made.secret)
}

function parseLifetime(given: string | undefined): number {
  if (given === undefined) return defaultTokenLifetime
  const seconds = /^\d{1,9}$/.test(given) ? Number(given) : 0
  if (seconds >= 1 && seconds <= maxTokenLifetime) return seconds
  throw new CommandFault(`--expires-in must be 1 to ${maxTokenLifetime} seconds, not '${given}'.`)
}

/** Prints one token per line, with columns separated by tabs. */
async function list(tool: AccountContext, [login]: readonly string[]): Promise<void> {
  const { resource, store } = tokensOf(tool)
  const owner = login === undefined ? undefined : (await requireAccount(tool, login))[IDENTITY]
  const condition = owner === undefined ? always : equals(['owner'], owner as string)
  for await (const row of allRows(store, resource, condition)) printLine(formatToken(tool, row))
}

function formatToken(tool: AccountContext, row: Row): string {
  const { resource } = tokensOf(tool)
  const shown = ['owner', 'expiresAt', 'lastUsedOn', 'scopes', 'name'].map((name) => {
    const field = resource.fieldByName.get(name) as FieldModel
    const stored = row[field.index]
    const value = stored === null || stored === undefined ? '-' : field.decode(stored)
    return [value].flat().join(' ')
  })
  return [row[IDENTITY], ...shown].join('\t')
}

async function revoke(tool: AccountContext, [id]: readonly string[]): Promise<void> {
  const { resource, store } = tokensOf(tool)
  if (id === undefined)
    throw new CommandFault('Expected the id of a token. List the ids with: restwell token list')
  const row = await findRow(store, resource, id)
  if (!row) throw new CommandFault(`No token '${id}'. List the ids with: restwell token list`)
  await writeOrFail(tool, deleteRow(resource, row, new Date().toISOString()))
  printLine(`Revoked ${id}.`)
}
