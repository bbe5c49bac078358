/** Starts, uses and stops the process that serves one version of a definition (definition-server.ts). */

import { fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { programFile } from '../../package-paths.ts'
import { createConnectionHandoff } from '../workers/connection-handoff.ts'
import { connectRpc } from '../workers/rpc.ts'
import type { LoadReport, OpenReport, ServingMethods, SupervisorMethods } from './dev-methods.ts'

export interface ServiceProcess {
  load(args: readonly string[]): Promise<LoadReport>
  open(url: string): Promise<OpenReport>
  handOff(socket: Socket): void
  /** Resolves when the process has ended, to how it ended. */
  readonly ended: Promise<string>
  /** Resolves when all requests have their responses and the process has ended. */
  stop(): Promise<void>
  /** Ends the process at once. */
  kill(): Promise<void>
}

/** `onReturned` gets connections that the process has not received before its end. */
export function startServiceProcess(onReturned: (socket: Socket) => void): ServiceProcess {
  const process = fork(programFile('commands/dev/dev-process'), { serialization: 'advanced' })
  const connections = createConnectionHandoff(process)
  const rpc = connectRpc<ServingMethods>(process, {
    connectionReceived: () => connections.confirm(),
  } satisfies SupervisorMethods)
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  process.once('error', (error) => resolve(error.message))
  process.once('exit', (code, signal) => {
    for (const socket of connections.reclaim()) onReturned(socket)
    resolve(`The process ended with ${signal ?? `exit code ${code}`}. The terminal shows its output.`)
  })
  const endedFault = async () => ({ fault: await ended })
  return {
    load: (args) => rpc.call('load', args).catch(async () => ({ files: [], ...(await endedFault()) })),
    open: (url) => rpc.call('open', url).catch(endedFault),
    handOff: (socket) => connections.send(socket),
    ended,
    async stop() {
      // A process that has ended has no requests to finish.
      await rpc.call('drain', undefined).catch(() => undefined)
      if (process.connected) process.disconnect()
      await ended
    },
    async kill() {
      process.kill('SIGKILL')
      await ended
    },
  }
}
