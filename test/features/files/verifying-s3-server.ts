/**
 * A small S3 server that verifies each signature by the steps of Amazon's documentation ("Authenticating Requests:
 * Using the Authorization Header"), from the octets on the wire. It shares no code with the signer.
 */

import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const accessKey = 'AKIDEXAMPLE'
export const secretKey = 'a/secret+key with = signs'
export const region = 'eu-central-1'

export interface VerifyingServer extends AsyncDisposable {
  readonly endpoint: string
  /** The methods of the requests whose signature was right. */
  readonly verified: readonly string[]
}

interface StoredObject {
  readonly octets: Buffer
  readonly modifiedAt: Date
}

export async function startVerifyingServer(): Promise<VerifyingServer> {
  const objects = new Map<string, StoredObject>()
  const verified: string[] = []
  const server = createServer(async (request, response) => {
    const content = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>))
    const fault = findFault(request, content)
    if (fault !== undefined) return refuse(response, 403, fault)
    verified.push(request.method ?? '')
    respond(objects, request, response, content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    verified,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The code of the error that Amazon sends; undefined where the request is authentic. */
function findFault(request: IncomingMessage, content: Buffer): string | undefined {
  const { headers, method = '', url = '' } = request
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, key, day = '', place = '', signed = '', signature] = form.exec(headers.authorization ?? '') ?? []
  if (key !== accessKey || place !== region) return 'InvalidAccessKeyId'
  const time = String(headers['x-amz-date'])
  const [, year, month, date, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? []
  const sentAt = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(date),
    Number(hour),
    Number(minute),
    Number(second),
  )
  if (!(Math.abs(Date.now() - sentAt) < 900_000) || !time.startsWith(day)) return 'RequestTimeTooSkewed'
  const names = signed.split(';')
  const required = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  if (required.some((name) => !names.includes(name))) return 'AccessDenied'
  const contentHash = sha256(content)
  if (headers['x-amz-content-sha256'] !== contentHash) return 'XAmzContentSHA256Mismatch'
  const [path = '', query = ''] = url.split('?')
  const lines = [method, encodePath(path), sortedQuery(query)]
  for (const name of names) lines.push(`${name}:${String(headers[name]).trim().replace(/ +/g, ' ')}`)
  lines.push('', signed, contentHash)
  const toSign = ['AWS4-HMAC-SHA256', time, `${day}/${place}/s3/aws4_request`, sha256(lines.join('\n'))].join(
    '\n',
  )
  const dateKey = hmac(Buffer.from(`AWS4${secretKey}`), day)
  const signingKey = hmac(hmac(hmac(dateKey, place), 's3'), 'aws4_request')
  return hmac(signingKey, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Decodes and encodes each segment again, so that an encoding on the wire that differs from the signed one fails. */
function encodePath(path: string): string {
  return path
    .split('/')
    .map((segment) => uriEncode(decodeURIComponent(segment)))
    .join('/')
}

function sortedQuery(query: string): string {
  if (query === '') return ''
  const pairs = [...new URLSearchParams(query)].map(
    ([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`,
  )
  return pairs.sort().join('&')
}

/** UriEncode of the documentation: every octet but unreserved characters, in upper-case hexadecimal. */
function uriEncode(text: string): string {
  return [...Buffer.from(text)]
    .map((octet) => {
      const character = String.fromCharCode(octet)
      if (/[A-Za-z0-9._~-]/.test(character)) return character
      return `%${octet.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
}

function respond(
  objects: Map<string, StoredObject>,
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  content: Buffer,
): void {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const path = decodeURIComponent(pathname)
  if (searchParams.has('list-type')) {
    list(objects, response, `${path}/${searchParams.get('prefix')}`)
    return
  }
  const source = headers['x-amz-copy-source']
  const object = objects.get(source === undefined ? path : decodeURIComponent(String(source)))
  if (method === 'DELETE') objects.delete(path)
  if (method === 'PUT' && source === undefined) objects.set(path, { octets: content, modifiedAt: new Date() })
  if (method === 'DELETE' || (method === 'PUT' && source === undefined)) {
    response.writeHead(method === 'PUT' ? 200 : 204).end()
    return
  }
  if (!object) {
    refuse(response, 404, 'NoSuchKey')
    return
  }
  if (source !== undefined) {
    objects.set(path, { ...object, modifiedAt: new Date() })
    response.end('<CopyObjectResult/>')
    return
  }
  const [, first = '0', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const part = headers.range ? object.octets.subarray(Number(first), Number(last) + 1) : object.octets
  const fields = { 'content-length': part.length, 'last-modified': object.modifiedAt.toUTCString() }
  response.writeHead(headers.range ? 206 : 200, fields).end(method === 'HEAD' ? undefined : part)
}

function list(objects: Map<string, StoredObject>, response: ServerResponse, prefix: string): void {
  const bucket = `/${prefix.split('/')[1]}/`
  const found = [...objects].filter(([path]) => path.startsWith(prefix)).sort()
  const contents = found.map(([path, { modifiedAt }]) => {
    return `<Contents><Key>${path.slice(bucket.length)}</Key><LastModified>${modifiedAt.toISOString()}</LastModified></Contents>`
  })
  response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${contents.join('')}</ListBucketResult>`)
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
}
