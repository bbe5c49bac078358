/** A service for a test: the smallest definition, a real database, a real socket. */

import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import type { PasswordCost } from '../src/access/password.ts'
import { noNetworks, parseNetworks } from '../src/http/ip-network.ts'
import type { Observation } from '../src/observation.ts'
import type { ContentLimits } from '../src/requests/context/service-context.ts'
import { createSocketServer } from '../src/server/request-listener.ts'
import { startServer } from '../src/server/server.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createFirstAccount } from '../src/service/first-start.ts'
import { createService, type RunningService } from '../src/service/service.ts'
import type { CreateServiceOptions } from '../src/service/service-options.ts'
import { openStore } from '../src/store/open-store.ts'
import { isPostgresUrl } from '../src/store/postgres/connection/database-url.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { freshDatabase, onPostgres } from './database.ts'
import { recorded } from './exchanges.ts'
import { cheapPasswords } from './password-cost.ts'
import { type SettledLog, settledLogOf } from './settled-log.ts'

export interface Reply {
  readonly status: number
  readonly fields: IncomingHttpHeaders
  readonly octets: Buffer
  readonly text: string
  /** The body parsed as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly json: any
}

export type SendRequest = (
  line: string,
  fields?: Readonly<Record<string, string | readonly string[]>>,
  body?: unknown,
) => Promise<Reply>

export interface TestService extends AsyncDisposable {
  readonly service: RunningService
  readonly url: string
  readonly port: number
  readonly observations: readonly Observation[]
  /** `request('GET /books/1', { accept: 'application/json' })`; a body that is not a string is sent as JSON. */
  readonly request: SendRequest
  /** Resolves when the change log shows every change that was committed; `request` waits for it by itself. */
  readonly logSettled: () => Promise<void>
  /** Advances the clock. */
  advance(milliseconds: number): void
}

export interface TestOptions {
  /** The base of absolute URIs; the origin of the request by default. */
  readonly publicUrl?: string
  readonly database?: string
  /** The folder of files; by default beside the database. */
  readonly files?: string
  /** Standbys of the database. */
  readonly replicas?: readonly string[]
  readonly limits?: Partial<ContentLimits>
  /** The cost of password hashes; the lowest by default. */
  readonly passwordCost?: PasswordCost
  /** Requests per minute and caller; off by default. */
  readonly rate?: number | 'off'
  /** Milliseconds of slow reading per minute and caller, where there is a rate. */
  readonly readTime?: number
  /** The overload limits; off by default. */
  readonly overload?: CreateServiceOptions['overload']
  /** Concurrent streams; unlimited by default. */
  readonly streams?: CreateServiceOptions['streams']
  /** Concurrent event streams; as in production by default. */
  readonly eventStreams?: CreateServiceOptions['eventStreams']
  /** How webhooks are sent. */
  readonly webhooks?: CreateServiceOptions['webhooks']
  /** The URL of the mail server. */
  readonly mail?: string
  /** The variables that providers name. */
  readonly variables?: Readonly<Record<string, string>>
  /** How `after` hooks run. */
  readonly after?: CreateServiceOptions['after']
  /** Networks of trusted proxies. */
  readonly trusted?: readonly string[]
  /** The time of the clock at the start, in milliseconds; the present by default. */
  readonly startsAt?: number
}

export const adminLogin = 'admin@example.org'
export const adminPassword = 'correct horse battery'

export async function serve(definition: unknown, options: TestOptions = {}): Promise<TestService> {
  const model = checkDefinition(definition)
  const observations: Observation[] = []
  const notice = (observation: Observation) => void observations.push(observation)
  const database = options.database ?? (await freshDatabase())
  const store = await openStore(database, schemaOf(model), notice, { replicas: options.replicas })
  const passwordCost = options.passwordCost ?? cheapPasswords
  await createFirstAccount(model, store, { login: adminLogin, password: adminPassword, passwordCost })
  let offset = options.startsAt === undefined ? 0 : options.startsAt - Date.now()
  const clock = { now: () => Date.now() + offset }
  const service = await createService({
    model,
    store,
    observe: notice,
    clock,
    passwordCost,
    rate: options.rate ?? 'off',
    ...(options.readTime === undefined ? {} : { readTime: options.readTime }),
    // A machine that is busy with other tests would refuse requests.
    overload: options.overload ?? 'off',
    publicUrl: options.publicUrl,
    mail: options.mail,
    variables: new Map(Object.entries(options.variables ?? {})),
    // Without a folder of its own the test has a temporary one.
    files: { url: options.files, database: onPostgres ? 'file::memory:' : database },
    ...(options.streams ? { streams: options.streams } : {}),
    ...(options.eventStreams ? { eventStreams: options.eventStreams } : {}),
    ...(options.limits ? { limits: options.limits } : {}),
    ...(options.webhooks ? { webhooks: options.webhooks } : {}),
    ...(options.after ? { after: options.after } : {}),
  })
  const wire = createSocketServer({
    handle: service.handle,
    refusalResponse: service.refusalResponse,
    refusesArrival: service.refusesArrival,
    isUrgent: service.isUrgent,
    observe: notice,
    trusted: parseNetworks(options.trusted ?? []) ?? noNetworks,
  })
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    socketServer: wire,
    grace: 0,
    drain: 1000,
  })
  const agent = new Agent({ keepAlive: true })
  const request = recorded(createRequester(server.port, agent), model)
  const log = onPostgres && isPostgresUrl(database) ? settledLogOf(database) : undefined
  return {
    service,
    url: server.url,
    port: server.port,
    observations,
    request: log ? settling(request, log) : request,
    logSettled: async () => await log?.reached(),
    advance(milliseconds) {
      offset += milliseconds
    },
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await log?.[Symbol.asyncDispose]()
      await server.stop()
      await service.close()
    },
  }
}

/** After a request that may write, waits until the change log shows what was written. */
function settling(request: SendRequest, log: SettledLog): SendRequest {
  return async (line, fields, body) => {
    const reply = await request(line, fields, body)
    if (mayWrite(line)) await log.reached()
    return reply
  }
}

/** Whether the method of a request line is not a safe one. */
export function mayWrite(line: string): boolean {
  return !/^(GET|HEAD|OPTIONS|QUERY) /.test(line)
}

export function createRequester(port: number, agent?: Agent): SendRequest {
  return (line, fields = {}, body) =>
    new Promise((resolve, reject) => {
      const space = line.indexOf(' ')
      const content = body === undefined ? undefined : contentOf(body)
      const implied: Record<string, string> = {}
      if (content !== undefined) {
        if (fields['transfer-encoding'] === undefined) {
          implied['content-length'] = String(content.length)
        }
        if (typeof body === 'object' && !(body instanceof Uint8Array)) {
          implied['content-type'] = 'application/json'
        }
      }
      const outgoing = httpRequest(
        {
          port,
          host: '127.0.0.1',
          method: line.slice(0, space),
          path: line.slice(space + 1),
          headers: { ...implied, ...fields } as OutgoingHttpHeaders,
          ...(agent ? { agent } : {}),
        },
        (incoming) => {
          const parts: Buffer[] = []
          incoming.on('data', (part: Buffer) => parts.push(part))
          incoming.on('error', reject)
          incoming.on('end', () => {
            const octets = Buffer.concat(parts)
            const text = octets.toString()
            resolve({
              status: incoming.statusCode ?? 0,
              fields: incoming.headers,
              octets,
              text,
              get json() {
                return JSON.parse(text)
              },
            })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(content)
    })
}

function contentOf(body: unknown): Buffer {
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Returns an Authorization field for Basic. */
export function basic(login: string, password: string) {
  return { authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}` }
}

export const admin = basic(adminLogin, adminPassword)
