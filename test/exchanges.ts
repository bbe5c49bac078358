/**
 * Records the requests and responses of tests for OpenAPI validation. With EXCHANGES set to a folder,
 * each service writes its OpenAPI document there, and every exchange made with `ask`.
 */

import { hash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemeNames } from '../src/access/authentication-schemes.ts'
import type { Model } from '../src/definition/model.ts'
import { createCapabilities } from '../src/describe/create-capabilities.ts'
import { createOpenApi } from '../src/describe/openapi.ts'
import { documentsFor } from './documents.ts'
import type { Reply, SendRequest } from './service.ts'

export interface Exchange {
  /** `GET /books/1` */
  readonly line: string
  readonly fields: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
  readonly status: number
  readonly answered: Reply['fields']
  readonly text: string
}

const folder = process.env.EXCHANGES

/** Exchanges with larger bodies are not recorded. */
const mostOctets = 100_000

export function recorded(request: SendRequest, model: Model): SendRequest {
  if (folder === undefined) return request
  const offer = createCapabilities(schemeNames(model), documentsFor(model))
  const document = JSON.stringify(createOpenApi({ model, audience: 'everyone', capabilities: offer }))
  const name = join(folder, hash('sha256', document).slice(0, 16))
  writeFileSync(`${name}.json`, document)
  return async (line, fields = {}, body) => {
    const reply = await request(line, fields, body)
    const sent = body === undefined ? undefined : textOf(body)
    if (reply.octets.length > mostOctets || (sent ?? '').length > mostOctets) return reply
    const implied = typeof body === 'object' ? { 'content-type': 'application/json' } : {}
    const exchange: Exchange = {
      line,
      fields: { ...implied, ...fields },
      ...(sent === undefined ? {} : { body: sent }),
      status: reply.status,
      answered: reply.fields,
      text: reply.text,
    }
    appendFileSync(`${name}.${process.pid}.exchanges`, `${JSON.stringify(exchange)}\n`)
    return reply
  }
}

function textOf(body: unknown): string {
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  return typeof body === 'string' ? body : JSON.stringify(body)
}
