/** The statuses that the recording has for each operation, by the kind of the target that each request resolves to. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import shop from '../../examples/shop.ts'
import tracker from '../../examples/tracker/service.ts'
import { unwrapForm } from '../../src/html/forms/form-request.ts'
import type { HttpRequest } from '../../src/http/message.ts'
import { Refusal } from '../../src/refusal.ts'
import { kindOf, methodsOf } from '../../src/requests/context/operation-of.ts'
import { resolveTarget } from '../../src/requests/decisions/resolve-target.ts'
import { EarlyResponse } from '../../src/requests/respond/early-response.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { documentsFor } from '../documents.ts'
import { defineStudio, town } from '../recording/definitions.ts'

const folder = join(import.meta.dirname, '../recording/exchanges')

/** The services of the sections, by the beginning of the names of their files. */
const definitions: Readonly<Record<string, unknown>> = {
  shop,
  raw: shop,
  tracker,
  studio: defineStudio('https://issuer.example'),
  town,
}

export interface RecordedStatus {
  /** `item GET` */
  readonly operation: string
  readonly status: number
  /** Where it is. */
  readonly place: string
}

/** The responses to requests for a target that offers the method. */
export function recordedStatuses(): readonly RecordedStatus[] {
  return ['sqlite', 'postgres'].flatMap((database) =>
    readdirSync(join(folder, database)).flatMap((file) => statusesIn(join(database, file))),
  )
}

function statusesIn(file: string): readonly RecordedStatus[] {
  const [section = ''] = file.split('/')[1]!.split(/[-.]/)
  const model = checkDefinition(definitions[section])
  const documents = documentsFor(model)
  const exchanges = readFileSync(join(folder, file), 'utf8').split(/^═══ /m).slice(1)
  return exchanges.flatMap((exchange) => {
    const request = requestOf(exchange)
    const status = Number([...exchange.matchAll(/^─── (\d{3}) /gm)].at(-1)?.[1])
    if (!request || Number.isNaN(status)) return []
    try {
      const { request: unwrapped } = unwrapForm({ model, documents }, request)
      const target = resolveTarget(model, documents, unwrapped)
      if (!methodsOf(target).has(unwrapped.method)) return []
      const operation = `${kindOf(target)} ${unwrapped.method}`
      return [{ operation, status, place: `${file} ${exchange.split('\n', 1)[0]}` }]
    } catch (error) {
      // The request has no target, or that of another URI.
      if (error instanceof Refusal || error instanceof EarlyResponse) return []
      throw error
    }
  })
}

/** The request of an exchange; undefined for octets that are no request. */
function requestOf(exchange: string): HttpRequest | undefined {
  const [first = '', ...rest] = exchange.split('\n')
  const [, method, target] = /^\d+ ([A-Z]+) (.*)$/.exec(first) ?? []
  if (method === undefined || target === undefined || method === 'RAW') return undefined
  const end = rest.findIndex((line) => line === '' || line.startsWith('───'))
  const fields = rest.slice(0, end).flatMap((line) => {
    const [, name, value] = /^([A-Za-z-]+): (.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value] as const]
  })
  return {
    id: '1',
    method,
    // The symbols of ids, times and tags.
    target: target.replaceAll(/‹[^›]*›/g, 'x'),
    fields: { host: 'localhost', ...Object.fromEntries(fields) },
    content: {
      present: true,
      length: undefined,
      read: async () => new Uint8Array(),
      async *stream() {},
    },
    client: { address: '127.0.0.1', secure: false },
  }
}
