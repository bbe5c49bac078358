/** The steps of `restwell serve` before it listens: configuration, database, first rows. */

import { hasFiles } from '../definition/file-fields.ts'
import type { Model } from '../definition/model.ts'
import type { Observer } from '../observation.ts'
import type { LoadedDefinition } from '../operation/command-frame/command.ts'
import { CommandFault } from '../operation/command-frame/command.ts'
import { type Config, readVariables } from '../operation/configuration/config.ts'
import { withoutCredentials } from '../operation/log-entry.ts'
import type { Metrics } from '../operation/metrics.ts'
import {
  createFirstAccount,
  type FirstAccount,
  insertSample,
  isUnused,
  rehearseFirstStart,
} from '../service/first-start.ts'
import { openStore } from '../store/open-store.ts'
import { isPostgresUrl } from '../store/postgres/connection/database-url.ts'
import { isS3Url, parseS3Url } from '../store/s3/s3-url.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'

export async function openConfiguredStore(config: Config, model: Model, observe: Observer): Promise<Store> {
  if (hasFiles(model) && config.files === undefined && isPostgresUrl(config.database)) {
    throw new CommandFault(
      'The definition has files, and no place for them is named. Set FILES_URL, such as file:data/files or s3://bucket.',
    )
  }
  requireMailServer(config, model)
  readVariables(model.variables)
  const { backups } = config
  if (backups !== undefined && isS3Url(backups)) parseS3Url(backups, 'The bucket of backups')
  return openStore(config.database, schemaOf(model), observe, config)
}

/** A definition with mail needs a server, and the address that links in mails begin with. */
function requireMailServer({ mail, publicUrl }: Config, model: Model): void {
  if (!model.accounts?.receivesMail || mail === 'page') return
  if (mail === undefined) {
    throw new CommandFault(
      'The definition declares mail, and no mail server is named. Set MAIL_URL, such as smtp://mail.example.org:587, or MAIL_URL=page to read the mails at /mails on this machine.',
    )
  }
  if (publicUrl !== undefined) return
  throw new CommandFault(
    'The definition declares mail, whose links need the address of the service. Set PUBLIC_URL, such as https://example.org.',
  )
}

export interface StartContext {
  readonly config: Config
  readonly definition: LoadedDefinition
  readonly store: Store
}

/** Creates the first account and the sample rows. Closes the store when that fails. */
export async function prepareFirstStart({ config, definition, store }: StartContext) {
  try {
    return await writeFirstRows(definition, store, config)
  } catch (error) {
    await store.close()
    if (!(error instanceof StoreUnavailable)) throw error
    const name = withoutCredentials(config.database)
    const remedy = 'Make room or repair the disk, then start again.'
    throw new CommandFault(`Cannot write to ${name}. ${error.message} ${remedy}`, {
      cause: error,
    })
  }
}

async function writeFirstRows(
  { model, sample }: LoadedDefinition,
  store: Store,
  config: Config,
): Promise<FirstAccount | undefined> {
  return store.withExclusiveLock(async () => {
    const rows = sample && config.sample && (await isUnused(store)) ? sample : undefined
    // A fault of the sample is found before anything is stored.
    if (rows) await rehearseFirstStart(model, rows)
    const first = await createFirstAccount(model, store, config.admin)
    if (rows) await insertSample(model, store, rows)
    // Creates the secret now, so that a full disk is found before the service listens.
    await store.loadSecret('cursor')
    return first
  })
}

export interface ListenOptions {
  /** The arguments of the command; workers parse them again. */
  readonly args: readonly string[]
  readonly config: Config
  readonly model: Model
  readonly store: Store
  readonly observe: Observer
  readonly metrics: Metrics
}

/** A service that listens; it owns the store. */
export interface ListeningService {
  readonly url: string
  /** Resolves when all accepted requests have their responses and the store is closed. */
  stop(): Promise<void>
}
