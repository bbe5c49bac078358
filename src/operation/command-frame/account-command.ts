/** The frame of commands such as `restwell user` and `restwell token`: opens the database, runs an action, closes it. */

import { findAccountRow } from '../../access/basic-scheme.ts'
import type { AccountsModel, Model } from '../../definition/model.ts'
import type { Actor } from '../../store/change-log.ts'
import { openStore } from '../../store/open-store.ts'
import { schemaOf } from '../../store/schema/model-schema.ts'
import { type Store, StoreOpenError } from '../../store/store.ts'
import type { Write } from '../../store/write.ts'
import { type CommandConfig, readCommandConfig } from '../configuration/config.ts'
import type { FlagTable } from '../configuration/flags.ts'
import { type CommandCall, CommandFault } from './command.ts'

export interface DatabaseContext {
  readonly config: CommandConfig
  readonly model: Model
  readonly store: Store
  /** For the change log. */
  readonly actor: Actor
}

export interface AccountContext extends DatabaseContext {
  readonly accounts: AccountsModel
}

/** One action of a command, such as `add` of `user`. */
export type AccountAction = (tool: AccountContext, words: readonly string[]) => Promise<void>

/** Runs the action of the command that the first word names. Throws a CommandFault when it is unknown or fails. */
export async function runAccountAction(
  command: 'user' | 'token' | 'audit' | 'erase',
  { args, load }: CommandCall,
  flags: FlagTable,
  actions: ReadonlyMap<string, AccountAction> | AccountAction,
): Promise<number> {
  const config = readCommandConfig(args, flags)
  const [action, words] =
    typeof actions === 'function' ? [actions, config.words] : chooseAction(actions, config.words)
  const { model } = await load(config.file)
  const { accounts } = model
  if (!accounts) throw new CommandFault(`${config.file} declares no accounts. Add 'accounts' to the service.`)
  return withDatabase(command, { config, model }, (context) => action({ ...context, accounts }, words))
}

/** Runs an action that needs no accounts. Throws a CommandFault when it fails. */
export async function runDatabaseAction(
  command: 'retry' | 'import' | 'export',
  { args, load }: CommandCall,
  flags: FlagTable,
  action: (context: DatabaseContext, words: readonly string[]) => Promise<void>,
): Promise<number> {
  const config = readCommandConfig(args, flags)
  const { model } = await load(config.file)
  return withDatabase(command, { config, model }, (context) => action(context, config.words))
}

async function withDatabase(
  command: string,
  { config, model }: Pick<DatabaseContext, 'config' | 'model'>,
  action: (context: DatabaseContext) => Promise<void>,
): Promise<number> {
  const store = await openDatabase(command, config, model)
  try {
    await action({ config, model, store, actor: { name: `restwell ${command}` } })
  } finally {
    await store.close()
  }
  return 0
}

/** The action that the first word names, and the other words. */
function chooseAction(
  actions: ReadonlyMap<string, AccountAction>,
  [name = '', ...words]: readonly string[],
): readonly [AccountAction, readonly string[]] {
  const action = actions.get(name)
  if (action) return [action, words]
  const known = [...actions.keys()].join(', ')
  const problem = name === '' ? 'The action is missing.' : `Unknown action '${name}'.`
  throw new CommandFault(`${problem} Expected: ${known}.`)
}

/** Refuses a database in memory: it would be gone when the command ends. */
async function openDatabase(command: string, config: CommandConfig, model: Model): Promise<Store> {
  if (config.database === 'file::memory:')
    throw new CommandFault('Expected a database that lasts. Name it with --database.')
  try {
    return await openStore(config.database, schemaOf(model), () => undefined, config)
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error
    const requests = requestsInstead[command]
    const remedy = requests
      ? `While the service is running, send requests to it instead, such as ${requests}.`
      : 'Stop the service first.'
    throw new CommandFault(`${error.message}\n${remedy}`, { cause: error })
  }
}

/** Requests that have the effect of a command, for a SQLite file that a service has open. */
const requestsInstead: Readonly<Record<string, string>> = {
  user: 'PATCH on an account',
  token: 'DELETE on a token',
  import: "POST with many items to a collection with 'bulk: true'",
  export: 'GET with ?format=csv or ?format=ndjson on a collection',
}

/** Returns the row of the account. Throws a CommandFault when there is none. */
export async function requireAccount({ accounts, store }: AccountContext, login: string | undefined) {
  if (login === undefined) throw new CommandFault(`Expected the ${accounts.login.name} of an account.`)
  const row = await findAccountRow(accounts, store, login)
  if (!row) throw new CommandFault(`No account '${login}'.`)
  return row
}

/** Commits the writes. Throws a CommandFault with the reason when the store refuses them. */
export async function writeOrFail(
  { store, actor, accounts }: AccountContext,
  ...writes: Write[]
): Promise<void> {
  const outcome = await store.write(writes, { actor })
  if (outcome.kind === 'done') return
  const { reason } = outcome
  if (reason.kind === 'duplicate') {
    throw new CommandFault(`${reason.columns.join(', ')}: another account has this value. Choose another.`)
  }
  if (reason.kind === 'last-row') {
    throw new CommandFault(
      `This is the last account with the role '${accounts.adminRole}'. Give another account the role first.`,
    )
  }
  throw new CommandFault(`The database refused the change (${reason.kind}). Try again.`)
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
