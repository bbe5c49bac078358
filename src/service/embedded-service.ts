/** Opens a service inside another program: as a Node request listener, or called without a socket. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDate } from 'node:util/types'
import { basePath } from '../definition/check-definition.ts'
import type { FaultReport } from '../definition/definition-fault.ts'
import type { Caller } from '../definition/logic/logic-tools.ts'
import type { Model } from '../definition/model.ts'
import {
  checkOptions,
  functionOf,
  nonEmptyText,
  type OptionTable,
  objectOption,
  required,
  wholeNumber,
} from '../definition/option-table.ts'
import type { AnyDefinition, ProgramToolsOf } from '../definition/service-definition.ts'
import type { Observer } from '../observation.ts'
import { readVariables } from '../operation/configuration/config.ts'
import { parseSecretKeys } from '../operation/configuration/config-values.ts'
import { type LogStream, logTo } from '../operation/log.ts'
import type { Clock } from '../requests/context/service-context.ts'
import { createSocketServer, type SocketServer } from '../server/request-listener.ts'
import { openStore } from '../store/open-store.ts'
import { schemaOf } from '../store/schema/model-schema.ts'
import type { Store } from '../store/store.ts'
import { checkDefinition } from './check-definition.ts'
import { createFirstAccount } from './first-start.ts'
import { headOf, requestOf, responseOf, sendResponse } from './foreign-messages.ts'
import type { NodeRequest } from './node-request.ts'
import { createService } from './service.ts'

/**
 * Where an opened service stores its rows, how it is reached, and its limits.
 * @example
 * const options: OpenOptions = {
 *   database: 'file:data/restwell.db',
 *   base: '/api',
 *   admin: { login: 'ada@example.org', password: 'correct horse battery' },
 *   rate: 600,
 *   log: process.stderr,
 * }
 */
export interface OpenOptions {
  /** `file:` and a path, `file::memory:`, or a `postgres://` URL. */
  readonly database: string
  /** The folder of files, such as `file:data/files`; by default beside the file of the database. */
  readonly files?: string
  /** The path it is mounted at, such as `/api`; overrides the `base` of the definition. */
  readonly base?: string
  /** The first account, created when there is none. */
  readonly admin?: { readonly login: string; readonly password: string }
  /** Requests per minute and caller; 1200 by default. `off` disables this limit and the refusal under overload, as tests need. */
  readonly rate?: number | 'off'
  /** The public URI of the entry point, such as `https://example.org/api`; by default, the URI of each request. */
  readonly publicUrl?: string
  /** The URL of the mail server, such as `smtp://mail.example.org:587`; needs `publicUrl`. Without it mails wait. */
  readonly mail?: string
  /** The largest size of a page of a list in octets; 4,000,000 by default. */
  readonly pageOctets?: number
  /** Keys that encrypt the secrets in the database, as in `RESTWELL_SECRET_KEY`; by default they are not encrypted. */
  readonly secretKey?: string
  /**
   * The time that the service uses instead of that of the system, for tests. Then schedules run only
   * when `runSchedules` asks for them.
   */
  readonly clock?: () => Date
  /** Receives the log at level `info`, such as `process.stderr`; by default there is no log. */
  readonly log?: LogStream
}

/** A request listener of `node:http`. Its types do not require `@types/node`. */
export type NodeListener = (incoming: unknown, response: unknown) => void

/**
 * A service that was opened inside another program.
 * @example
 * import { createServer } from 'node:http'
 * import { anyone, type OpenService, openService, resource, service, text } from 'restwell'
 *
 * const definition = service({
 *   title: 'Notes',
 *   resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
 * })
 * const notes: OpenService = await openService(definition, { database: 'file::memory:' })
 * const server = createServer(notes.listener)
 * await notes.close()
 */
export interface OpenService<D extends AnyDefinition = AnyDefinition> extends AsyncDisposable {
  /** The request listener, for `node:http`, Express, Fastify, Hono and Koa. It responds to every request. */
  readonly listener: NodeListener
  /** Returns the response to a request, without a socket. */
  readonly handle: (request: Request) => Promise<Response>
  /**
   * Who sends a request that your program handles, by its credentials; without credentials the caller is anonymous. Or
   * the response that refuses it, to be sent: 401 for invalid credentials, 403 for a page of another origin and where
   * a second factor is missing, 429. Takes a standard `Request`, and those of `node:http`, Express, Fastify, Hono and Koa. The
   * request counts for the rate of the caller; its content is not read.
   */
  authenticate(request: Request | NodeRequest): Promise<Caller | Response>
  /** Writes a standard response to one of `node:http`. Resolves when it is sent, or when the client is gone. */
  send(response: Response, outgoing: unknown): Promise<void>
  /**
   * The tools, the collections and their actions with the rights of a caller, judged at each call: it rejects where the
   * session has ended, the token was revoked or the account is disabled. Throws a `TypeError` for other callers than
   * `authenticate` has returned.
   */
  as(caller: Caller): ProgramToolsOf<D>
  /**
   * The same with all rights, for scripts and tests. Each call of a collection is one transaction, with checks and
   * hooks. It rejects with an error that has the `type` and `status` of the problem a request would get.
   */
  readonly system: ProgramToolsOf<D>
  /**
   * Resolves when all jobs have ended and the `after` hooks of all changes have run, those of changes by hooks
   * included. Rejects with the failure of a job or hook whose code failed.
   */
  settled(): Promise<void>
  /**
   * Runs the schedules whose times come until `until`, each at its time, in order, for tests. The clock of the service
   * is at that time during the run, and at `until` afterwards. Rejects with the failure of a schedule whose code failed,
   * and in a service that was opened without a `clock`, whose schedules run by themselves.
   */
  runSchedules(until: Date): Promise<void>
  /** Waits for writes in progress, then closes the database. */
  close(): Promise<void>
}

/**
 * Opens a service inside another program: mounts it in a Node server, or calls it without a socket.
 * Throws a `DefinitionFault` when the definition has faults, and a `StoreOpenError` when the
 * database cannot be opened.
 * @example
 * const definition = service({
 *   title: 'Notes',
 *   resources: { notes: resource({ title: text() }, { access: { read: anyone } }) },
 * })
 * await using notes = await openService(definition, { database: 'file::memory:' })
 * const response = await notes.handle(new Request('http://localhost/notes'))
 * response.status // 200
 */
export async function openService<D extends AnyDefinition>(
  definition: D,
  options: OpenOptions,
): Promise<OpenService<D>> {
  const model = checkOpening(definition, options)
  const { log } = options
  const observe: Observer = log ? logTo(log, 'info', Date.now) : () => {}
  const variables = readVariables(model.variables)
  const clock = options.clock && createSetClock(options.clock)
  const store = await openDatabase(model, options, observe)
  const { rate, publicUrl, mail, pageOctets } = options
  const limits = pageOctets === undefined ? {} : { page: pageOctets }
  const service = await createService({
    model,
    ...(clock && ({ clock, schedules: 'asked' } as const)),
    store,
    observe,
    publicUrl,
    mail,
    variables,
    limits,
    files: { url: options.files, database: options.database },
    ...limitsOf(rate),
  })
  const socketServer = createSocketServer({ ...service, observe })
  return {
    // Frameworks pass the objects of `node:http`.
    listener: (incoming, response) =>
      listen(socketServer, incoming as IncomingMessage, response as ServerResponse),
    handle: async (request) => {
      const received = await requestOf(request)
      return responseOf(received, await service.handle(received))
    },
    // The model has the collections that the type of the definition has.
    system: service.callers.system as OpenService<D>['system'],
    async authenticate(request) {
      const head = headOf(request)
      const found = await service.callers.authenticate(head)
      return 'caller' in found ? found.caller : responseOf(head, found.response)
    },
    send: (response, outgoing) => sendResponse(response, outgoing as ServerResponse),
    as: (caller) => service.callers.accessOf(caller) as ReturnType<OpenService<D>['as']>,
    settled: () => service.settled(),
    async runSchedules(until) {
      if (!clock) throw new TypeError("runSchedules needs a service that was opened with the option 'clock'.")
      await service.runSchedules(requireTime(until, 'runSchedules needs a valid Date.'), clock.advance)
    },
    close: () => service.close(),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** A clock that follows another one, and can be set ahead of it. */
function createSetClock(given: () => Date): Clock & { advance(time: number): void } {
  const fault = "The option 'clock' must be a function that returns a valid Date."
  const read = () => requireTime(given(), fault)
  read()
  let ahead = -Infinity
  return {
    now: () => Math.max(read(), ahead),
    advance(time) {
      ahead = Math.max(ahead, time)
    },
  }
}

/** The milliseconds of a date, also of one of another realm, as test runners make them. Throws a TypeError for others. */
function requireTime(value: unknown, fault: string): number {
  if (isDate(value) && !Number.isNaN(value.getTime())) return value.getTime()
  throw new TypeError(fault)
}

/** Opens the database, with the account of the options; closes it where that account cannot be created. */
async function openDatabase(
  model: Model,
  { database, admin, ...options }: OpenOptions,
  observe: Observer,
): Promise<Store> {
  const secretKeys = secretKeysOf(options)
  const store = await openStore(database, schemaOf(model), observe, { secretKeys })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => store.close())
  if (admin) await createFirstAccount(model, store, admin)
  opened.move()
  return store
}

function limitsOf(rate: OpenOptions['rate']) {
  if (rate === undefined) return {}
  return rate === 'off' ? ({ rate, overload: 'off' } as const) : { rate }
}

/** Throws a TypeError where the text has no keys. */
function secretKeysOf({ secretKey: text }: Pick<OpenOptions, 'secretKey'>): readonly Uint8Array[] {
  const faults: string[] = []
  const keys = text === undefined ? [] : parseSecretKeys({ text, file: undefined }, faults)
  const [fault] = faults
  if (fault !== undefined) throw new TypeError(fault.replace('RESTWELL_SECRET_KEY', 'The option secretKey'))
  return keys
}

const openOptionTable = {
  database: required(nonEmptyText, "Write: database: 'file:data/restwell.db'."),
  files: nonEmptyText,
  base: basePath,
  admin: objectOption,
  rate: {
    expected: "a number of requests per minute, or 'off'",
    accepts: (value): value is number | 'off' =>
      value === 'off' || wholeNumber(1, 1_000_000_000).accepts(value),
  },
  publicUrl: nonEmptyText,
  mail: nonEmptyText,
  pageOctets: wholeNumber(1, 1_000_000_000),
  secretKey: nonEmptyText,
  clock: functionOf<() => Date>(),
  log: objectOption,
} satisfies OptionTable

/** The faults of the definition come first. Throws a TypeError with those of the options. */
function checkOpening(definition: AnyDefinition, options: OpenOptions): Model {
  const faults: string[] = []
  const report: FaultReport = (reason, suggestion) => faults.push([reason, suggestion ?? []].flat().join(' '))
  const { base } = checkOptions(options, openOptionTable, report)
  const model = checkDefinition(definition, base)
  if (faults.length > 0) throw new TypeError(`openService: ${faults.join(' ')}`)
  return model
}

/** Express removes the mount path from `url`; `originalUrl` has the full path. */
function listen(
  socketServer: SocketServer,
  incoming: IncomingMessage & { originalUrl?: string },
  response: ServerResponse,
): void {
  if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl
  if (incoming.readableDidRead) {
    throw new Error('The content of the request was already read. Mount Restwell before body parsers.')
  }
  socketServer.listener(incoming, response)
}
