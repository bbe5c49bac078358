/** What `restwell serve` does before it listens: configuration, database, first rows. */

import { type Config, ConfigFault, readConfig } from '../config.ts'
import type { Model } from '../declare/model.ts'
import {
  type FirstAccount,
  FirstStartFault,
  isUnused,
  makeFirstAccount,
  writeSample,
} from '../first-start.ts'
import type { Notice } from '../http/happening.ts'
import { withoutCredentials } from '../observe/entry.ts'
import type { Metrics } from '../observe/metrics.ts'
import { openStore } from '../store/open.ts'
import { schemaOf } from '../store/schema.ts'
import { type Store, StoreFault, StoreTrouble } from '../store/store.ts'
import { CommandFault } from './command.ts'
import type { LoadedDefinition } from './definition.ts'

export function configured(args: readonly string[]): Config {
  try {
    return readConfig(args)
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

export async function opened(config: Config, model: Model, notice: Notice): Promise<Store> {
  try {
    return await openStore(config.database, schemaOf(model), notice, config.replicas)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw new CommandFault(error.message, { cause: error })
  }
}

export interface Beginning {
  readonly config: Config
  readonly definition: LoadedDefinition
  readonly store: Store
}

/** The first rows; the store is closed where they cannot be written. */
export async function prepared({ config, definition, store }: Beginning) {
  try {
    return await prepare(definition, store, config)
  } catch (error) {
    await store.close()
    if (error instanceof FirstStartFault) throw new CommandFault(error.message, { cause: error })
    if (!(error instanceof StoreTrouble)) throw error
    const name = withoutCredentials(config.database)
    const remedy = 'Make room or mend the disk, and start again.'
    throw new CommandFault(`${name} cannot be written. ${error.message} ${remedy}`, {
      cause: error,
    })
  }
}

async function prepare(
  { model, sample }: LoadedDefinition,
  store: Store,
  config: Config,
): Promise<FirstAccount | undefined> {
  return store.alone(async () => {
    const unused = await isUnused(store)
    const first = await makeFirstAccount(model, store, config.admin)
    if (unused && sample && config.sample) await writeSample(model, store, sample)
    // Made on first use: so it is there, and a disk that takes nothing is found out now.
    await store.secret('cursor')
    return first
  })
}

export interface ServingParts {
  /** Of the command. */
  readonly args: readonly string[]
  readonly config: Config
  readonly model: Model
  readonly store: Store
  readonly notice: Notice
  readonly metrics: Metrics
}

/** A service that listens, and has the store. */
export interface Serving {
  readonly url: string
  /** Resolves when what was accepted is answered and the store is closed. */
  stop(): Promise<void>
}
