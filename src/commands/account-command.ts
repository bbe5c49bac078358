/** What the commands share that work on the accounts in a service's database. */

import { accountFromRow, findAccountRow } from '../access/basic-scheme.ts'
import type { Account } from '../access/principal.ts'
import {
  type AccountCommandConfig,
  type AccountCommandFlags,
  ConfigFault,
  readAccountCommandConfig,
} from '../config.ts'
import type { AccountsModel, Model } from '../definition/model.ts'
import { openStore } from '../store/open-store.ts'
import type { Row } from '../store/row.ts'
import { schemaOf } from '../store/schema/table-schema.ts'
import { type Store, StoreOpenError, StoreUnavailable, type Write } from '../store/store.ts'
import { CommandFault } from './command.ts'
import { loadDefinition } from './load-definition.ts'

export interface AccountContext {
  readonly config: AccountCommandConfig
  readonly model: Model
  readonly accounts: AccountsModel
  readonly store: Store
}

/** One action of a command, such as `add` of `user`. */
export type AccountAction = (tool: AccountContext, words: readonly string[]) => Promise<void>

/** Opens the database, does what the first word names, and closes it again. */
export async function runAccountAction(
  args: readonly string[],
  flags: AccountCommandFlags,
  actions: ReadonlyMap<string, AccountAction>,
): Promise<number> {
  const config = parseConfig(args, flags)
  const [name = '', ...words] = config.words
  const action = actions.get(name)
  if (!action) {
    const known = [...actions.keys()].join(', ')
    throw new CommandFault(`Say what to do: ${known}${name === '' ? '' : `, not '${name}'`}.`)
  }
  const { model } = await loadDefinition(config.file)
  const { accounts } = model
  if (!accounts) throw new CommandFault(`${config.file} declares no accounts.`)
  const store = await openDatabase(config, model)
  try {
    await action({ config, model, accounts, store }, words)
  } finally {
    await store.close()
  }
  return 0
}

function parseConfig(args: readonly string[], flags: AccountCommandFlags): AccountCommandConfig {
  try {
    return readAccountCommandConfig(args, flags)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

/** A database of its own, gone at the end, is never meant here. */
async function openDatabase({ database }: AccountCommandConfig, model: Model): Promise<Store> {
  if (database === 'file::memory:') throw new CommandFault('Name the database with --database.')
  try {
    return await openStore(database, schemaOf(model), () => undefined)
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    const remedy =
      'While the service runs, accounts and tokens are changed by requests to it, such as PATCH on an account or DELETE on a token.'
    throw new CommandFault(`${error.message}\n${remedy}`, { cause: error })
  }
}

/** The account's row; a CommandFault where there is none. */
export async function requireAccount(
  { accounts, store }: AccountContext,
  login: string | undefined,
) {
  if (login === undefined) throw new CommandFault(`Name the account by its ${accounts.login.name}.`)
  const row = await findAccountRow(accounts, store, login)
  if (!row) throw new CommandFault(`There is no account '${login}'.`)
  return row
}

export function accountOfRow({ accounts }: AccountContext, row: Row): Account {
  return accountFromRow(accounts, row)
}

/** Durable once it returns. */
export async function writeOrFail(
  { store, accounts }: AccountContext,
  ...writes: Write[]
): Promise<void> {
  const outcome = await tryWrite(store, writes)
  if (outcome.kind === 'done') return
  const { reason } = outcome
  if (reason.kind === 'duplicate') {
    throw new CommandFault(`${reason.columns.join(', ')}: this value is already taken.`)
  }
  if (reason.kind === 'unmet') {
    throw new CommandFault(
      `This is the last account with the role '${accounts.adminRole}'. Give the role to another account first.`,
    )
  }
  throw new CommandFault(`The database refused it: ${reason.kind}.`)
}

async function tryWrite(store: Store, writes: readonly Write[]) {
  try {
    return await store.write(writes)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
