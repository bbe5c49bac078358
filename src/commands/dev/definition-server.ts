/**
 * Serves one version of a definition for `restwell dev`, in a process of its own. It loads the definition
 * first, while the process of the former version still serves, and opens the database afterwards.
 */

import { observeAll } from '../../observation.ts'
import { CommandFault, type LoadedDefinition } from '../../operation/command-frame/command.ts'
import { type Config, readDevConfig } from '../../operation/configuration/config.ts'
import { logTo } from '../../operation/log.ts'
import { createMetrics } from '../../operation/metrics.ts'
import { createHandoffServer, type HandoffServer } from '../../server/handoff-server.ts'
import { loadDefinition } from '../../service/load-definition.ts'
import { type ConfiguredService, createConfiguredService } from '../configured-service.ts'
import { openConfiguredStore, prepareFirstStart } from '../prepare-start.ts'
import { ignoreSignals, watchProcess } from '../serving-process.ts'
import { formatFirstAccount, formatWelcome } from '../welcome.ts'
import { receiveConnections } from '../workers/connection-handoff.ts'
import { connectRpc } from '../workers/rpc.ts'
import type {
  LoadReport,
  OpenedReport,
  OpenReport,
  ServingMethods,
  SupervisorMethods,
} from './dev-methods.ts'
import { type LoadedFile, recordLoadedFiles } from './loaded-files.ts'
import { migrateIfLossless } from './lossless-migration.ts'
import { createSiteProxy, type SiteProxy } from './site-proxy.ts'

interface Loaded {
  readonly config: Config
  readonly definition: LoadedDefinition
}

interface Serving extends ConfiguredService {
  readonly server: HandoffServer
  /** Passes requests to the development server of the front end; undefined: there is none. */
  readonly proxy: SiteProxy | undefined
}

let loadedFiles: () => readonly LoadedFile[]
let loaded: Loaded | undefined
let serving: Serving | undefined

/** Serves what the supervisor asks for, until it closes the channel. */
export function serveDefinition(): void {
  loadedFiles = recordLoadedFiles()
  const supervisor = connectRpc<SupervisorMethods>(process, { load, open, drain } satisfies ServingMethods)
  receiveConnections(supervisor, (socket) => serving?.server.serve(socket))
  process.once('disconnect', () => process.exit(0))
  ignoreSignals()
}

async function load(args: readonly string[]): Promise<LoadReport> {
  try {
    const config = readDevConfig(args)
    // Without a mail server, /mails shows what would be sent.
    const local: Config = { ...config, mail: config.mail ?? 'page' }
    const definition = await loadDefinition(config.file)
    if (config.site && definition.model.base === '') throw new CommandFault(missingBase)
    loaded = { config: local, definition }
    return { files: loadedFiles(), fault: undefined }
  } catch (error) {
    return { files: loadedFiles(), fault: messageOf(error) }
  }
}

const missingBase =
  "--site needs a path of its own for the service. Add base: '/api' to the definition, or leave --site out."

async function open(url: string): Promise<OpenReport> {
  if (!loaded) throw new Error('The definition is not loaded')
  try {
    return await serve(loaded, url)
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

async function serve({ config, definition }: Loaded, url: string): Promise<OpenedReport> {
  const metrics = createMetrics()
  const observe = observeAll([logTo(process.stderr, config.logLevel, Date.now), metrics.observe])
  watchProcess(observe)
  const { model } = definition
  const migration = await migrateIfLossless(config.database, model)
  const store = await openConfiguredStore(config, model, observe)
  const first = await prepareFirstStart({ config, definition, store })
  const created = await createConfiguredService({ config, model, store, observe, metrics })
  const { socketServer } = created
  const proxy = config.site && createSiteProxy(socketServer, config.site, model.base)
  serving = { ...created, proxy, server: createHandoffServer(proxy ?? socketServer) }
  const firstAccount = formatFirstAccount(first)
    .map((line) => `${line}\n`)
    .join('')
  return { migration, firstAccount, welcome: formatWelcome({ config, model, url, first }) }
}

async function drain(): Promise<void> {
  if (!serving) return
  const { service, socketServer, server, proxy } = serving
  service.retire('The service is restarting.')
  socketServer.beginStopping()
  proxy?.stop()
  await server.drain()
  await service.close()
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
