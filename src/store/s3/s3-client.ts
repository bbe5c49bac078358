/**
 * Requests to an S3-compatible service: signed, repeated where it fails for a moment, and streamed. Amazon's client
 * for this has more than a hundred packages.
 */

import { hash } from 'node:crypto'
import type { Agent, IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { httpClientFor } from '../../tools/node-builtins.ts'
import { StoreUnavailable } from '../store.ts'
import { signRequest } from './s3-signature.ts'
import type { S3Place } from './s3-url.ts'

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Without the prefix; the bucket where it is undefined. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly fields?: Readonly<Record<string, string>>
  readonly content?: S3Content
}

export interface S3Content {
  readonly size: number
  /** The SHA-256 digest in hexadecimal: the service refuses other content. */
  readonly digest: string
  /** The octets, from the first again for each attempt. */
  open(): AsyncIterable<Uint8Array>
}

export interface S3Client {
  /** The name of the service in messages. */
  readonly displayName: string
  /** The response, which must be read or destroyed; undefined for 404. Throws StoreUnavailable. */
  send(request: S3Request): Promise<IncomingMessage | undefined>
  /** The key with the prefix of the store. */
  keyOf(key: string): string
  /** The bucket and the key, as a copy names its source. */
  nameOf(key: string): string
}

/** Milliseconds before each repetition. */
const pauses = [50, 250]
/** Milliseconds without an octet in either direction. */
const silence = 15_000
const maxSockets = 64

export function createS3Client(place: S3Place, displayName = 'The store of files'): S3Client {
  const { Agent } = httpClientFor(place.bucket)
  const agent = new Agent({ keepAlive: true, maxSockets, timeout: silence })
  const attempt = (request: S3Request) => sendOnce(place, request, agent)
  const keyOf = (key: string) => `${place.prefix}${key}`
  return {
    displayName,
    keyOf,
    nameOf: (key) => `/${place.name}/${encodeKey(keyOf(key))}`,
    async send(request) {
      for (const milliseconds of pauses) {
        const response = await attempt(request).catch(() => undefined)
        if (response !== undefined && !isTransient(response)) return finish(request, response, displayName)
        response?.destroy()
        await pause(milliseconds)
      }
      try {
        return await finish(request, await attempt(request), displayName)
      } catch (error) {
        if (error instanceof StoreUnavailable) throw error
        throw new StoreUnavailable('unreachable', `${displayName}: ${messageOf(error)}`, { cause: error })
      }
    },
  }
}

const emptyDigest = hash('sha256', '', 'hex')

/** Resolves with the response when its fields are here. */
async function sendOnce(
  place: S3Place,
  { method, key, query = {}, fields = {}, content }: S3Request,
  agent: Agent,
): Promise<IncomingMessage> {
  const uri = new URL(place.bucket)
  if (key !== undefined) {
    uri.pathname = `${uri.pathname.replace(/\/$/, '')}/${encodeKey(`${place.prefix}${key}`)}`
  }
  for (const [name, value] of Object.entries(query)) uri.searchParams.set(name, value)
  const contentDigest = content?.digest ?? emptyDigest
  const headers = signRequest({ method, uri, fields, contentDigest }, { ...place, now: Date.now() })
  headers['content-length'] = String(content?.size ?? 0)
  const request = httpClientFor(uri).request(uri, { method, headers, agent, timeout: silence })
  request.on('timeout', () => request.destroy(new Error('It did not respond in time.')))
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve)
    request.on('error', reject)
  })
  if (content) {
    // A service that refuses the content responds before it has all of it.
    pipeline(content.open(), request).catch((error) => request.destroy(error))
  } else {
    request.end()
  }
  return response
}

/** Each segment of the path as the signature wants it. */
function encodeKey(key: string): string {
  return key
    .split('/')
    .map((segment) =>
      encodeURIComponent(segment).replace(
        /[!'()*]/g,
        (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/')
}

function isTransient({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 500 || statusCode === 429 || statusCode === 408
}

async function finish(
  { method, key }: S3Request,
  response: IncomingMessage,
  displayName: string,
): Promise<IncomingMessage | undefined> {
  const { statusCode = 0 } = response
  if (statusCode >= 200 && statusCode < 300) return response
  const text = await readText(response)
  if (statusCode === 404 && key !== undefined && !text.includes('NoSuchBucket')) return undefined
  const code = /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1] ?? ''
  throw new StoreUnavailable('unreachable', `${displayName} refused ${method}: ${statusCode} ${code}`.trim())
}

const maxText = 4_194_304

/** The content of a response as text. */
export async function readText(response: IncomingMessage): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > maxText) throw new StoreUnavailable('unreachable', 'The S3 service sent too long a response.')
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
