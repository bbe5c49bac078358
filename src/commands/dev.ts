/**
 * `restwell dev`: serves a definition and serves it anew when one of its files changes. This process
 * keeps the port. Connections wait while the process of the former version finishes its requests and
 * that of the new version opens the database.
 */

import { resolve } from 'node:path'
import type { Command } from '../operation/command-frame/command.ts'
import { readDevConfig } from '../operation/configuration/config.ts'
import { type Acceptor, openAcceptor } from '../server/acceptor.ts'
import { requireDefinitionFile } from '../service/load-definition.ts'
import type { OpenedReport } from './dev/dev-methods.ts'
import { createFaultServer } from './dev/fault-server.ts'
import { type LoadedFile, readState, waitForChange } from './dev/loaded-files.ts'
import { type ServiceProcess, startServiceProcess } from './dev/service-process.ts'
import { createTypeChecker } from './dev/type-checker.ts'

export const dev: Command = {
  usage: '[service.ts | --service FILE] [--port PORT] [--host HOST] [--database URL] [--site URL]',
  summary: 'Serves the definition for development, and again after each change of its files.',
  run: runDev,
}

async function runDev(args: readonly string[]): Promise<number> {
  const config = readDevConfig(args)
  requireDefinitionFile(config.file)
  const acceptor = await openAcceptor(config)
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort())
  const context = { args, file: config.file, acceptor, signal: stop.signal }
  const types = createTypeChecker(config.file, (text) => process.stderr.write(text))
  let version = await startVersion(context, undefined)
  let start = report(context, version, 'first')
  while (!stop.signal.aborted) {
    types?.check()
    const process = await waitForVersionEnd(context, version)
    if (stop.signal.aborted) break
    version = await startVersion(context, process)
    start = report(context, version, start)
  }
  types?.stop()
  await version.process?.stop()
  await acceptor.close()
  return 0
}

interface DevContext {
  readonly args: readonly string[]
  readonly file: string
  readonly acceptor: Acceptor
  readonly signal: AbortSignal
}

/** The definition as it was loaded at one time. */
interface Version {
  readonly files: readonly LoadedFile[]
  /** Undefined where a fault prevents the start. */
  readonly process: ServiceProcess | undefined
  /** Undefined where a signal has interrupted the start. */
  readonly outcome: Outcome | undefined
}

type Outcome = { readonly fault: string } | (OpenedReport & { readonly seconds: number })

/** Starts the process of a new version and stops that of the former one. */
async function startVersion(context: DevContext, former: ServiceProcess | undefined): Promise<Version> {
  const { acceptor, signal } = context
  const began = performance.now()
  const { process, loaded } = await loadVersion(context)
  if (!loaded) {
    await process.kill()
    return signal.aborted ? { files: [], process: former, outcome: undefined } : startVersion(context, former)
  }
  const { files, fault } = loaded
  acceptor.setHandler(undefined)
  await former?.stop()
  const opened = fault === undefined ? await process.open(acceptor.url) : { fault }
  if (opened.fault !== undefined) {
    await process.kill()
    acceptor.setHandler(createFaultServer(opened.fault))
    return { files, process: undefined, outcome: opened }
  }
  acceptor.setHandler(process.handOff)
  return { files, process, outcome: { ...opened, seconds: (performance.now() - began) / 1000 } }
}

/** Loads the definition in a new process. The report is undefined where the file changes while it loads. */
async function loadVersion({ args, file, acceptor, signal }: DevContext) {
  const definition = readState(resolve(file))
  const process = startServiceProcess((socket) => acceptor.accept(socket))
  const finished = new AbortController()
  const changed = waitForChange([definition], AbortSignal.any([signal, finished.signal]))
  const loaded = await Promise.race([process.load(args), changed.then(() => undefined)])
  finished.abort()
  return { process, loaded: loaded && { ...loaded, files: [definition, ...loaded.files] } }
}

/** Waits for a change or a signal. Returns the process of the version, where it still runs. */
async function waitForVersionEnd(
  { acceptor, signal }: DevContext,
  { files, process }: Version,
): Promise<ServiceProcess | undefined> {
  const changed = waitForChange(files, signal)
  const crash = await Promise.race([changed.then(() => undefined), ...(process ? [process.ended] : [])])
  if (crash === undefined) return process
  acceptor.setHandler(createFaultServer(crash))
  reportFault(crash, acceptor)
  await changed
  return undefined
}

/** `first`: no version has been served yet. */
type Start = 'first' | 'later'

/** Prints the outcome. Returns which start the next one is. */
function report({ file, acceptor }: DevContext, { outcome }: Version, start: Start): Start {
  if (!outcome) return start
  if (outcome.fault !== undefined) {
    reportFault(outcome.fault, acceptor)
    return start
  }
  const { migration, welcome, firstAccount, seconds } = outcome
  const listening = `Listening on ${acceptor.url}\n${migration}${welcome}`
  const reloaded = `Reloaded ${file} in ${seconds.toFixed(1)} s.\n${migration}${firstAccount}`
  process.stdout.write(start === 'first' ? listening : reloaded)
  return 'later'
}

function reportFault(fault: string, { url }: Acceptor): void {
  process.stderr.write(`${fault}\nSave the file to start again. Until then, ${url} shows this message.\n`)
}
