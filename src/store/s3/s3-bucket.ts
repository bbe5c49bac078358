/** The operations on objects of a bucket. */

import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseXml, XmlElement } from '@rgrove/parse-xml'
import type { OctetRange } from '../../http/range.ts'
import { StoreUnavailable } from '../store.ts'
import { readText, type S3Client, type S3Content } from './s3-client.ts'

export interface S3Object {
  readonly size: number
  /** In milliseconds. */
  readonly modifiedAt: number
}

export interface ListedObject {
  readonly key: string
  readonly size: number
  readonly modifiedAt: number
}

/** Every operation throws StoreUnavailable where the service does not do it. */
export interface S3Bucket {
  find(key: string): Promise<S3Object | undefined>
  /** The octets of an object, or of a part of it; undefined where there is no object. */
  get(key: string, range?: OctetRange): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Without content: an empty object. */
  put(key: string, content?: S3Content): Promise<void>
  /** False where the first object does not exist. */
  copy(from: string, to: string): Promise<boolean>
  remove(key: string): Promise<void>
  /**
   * All objects whose key has the prefix, in the order of their keys; `direct`: without those that have a slash
   * after it.
   */
  list(prefix: string, depth?: 'direct' | 'all'): AsyncGenerator<ListedObject>
}

export function createS3Bucket(client: S3Client): S3Bucket {
  return {
    async find(key) {
      const response = await client.send({ method: 'HEAD', key })
      if (!response) return undefined
      response.resume()
      const { 'content-length': size, 'last-modified': modifiedAt = '' } = response.headers
      return { size: Number(size), modifiedAt: Date.parse(modifiedAt) }
    },
    async get(key, range) {
      const fields = range ? { range: `bytes=${range.first}-${range.last}` } : {}
      const response = await client.send({ method: 'GET', key, fields })
      return response && octetsOf(response, client.displayName)
    },
    async put(key, content = emptyContent) {
      const response = await client.send({ method: 'PUT', key, content })
      if (!response)
        throw new StoreUnavailable('unreachable', `${client.displayName} did not take the content.`)
      await readText(response)
    },
    async copy(from, to) {
      const source = client.nameOf(from)
      const response = await client.send({ method: 'PUT', key: to, fields: { 'x-amz-copy-source': source } })
      if (!response) return false
      // The service may report a failure after it began to respond.
      const text = await readText(response)
      if (!text.includes('<Error>')) return true
      throw new StoreUnavailable('unreachable', `${client.displayName} could not copy the content.`)
    },
    async remove(key) {
      const response = await client.send({ method: 'DELETE', key })
      if (response) await readText(response)
    },
    list: (prefix, depth = 'all') => listObjects(client, prefix, depth),
  }
}

const emptyContent: S3Content = {
  size: 0,
  digest: hash('sha256', '', 'hex'),
  async *open() {},
}

async function* octetsOf(response: IncomingMessage, displayName: string): AsyncGenerator<Uint8Array> {
  try {
    yield* response as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new StoreUnavailable('unreachable', `${displayName} cut its response.`, { cause: error })
  } finally {
    response.destroy()
  }
}

async function* listObjects(
  client: S3Client,
  prefix: string,
  depth: 'direct' | 'all',
): AsyncGenerator<ListedObject> {
  const delimiter: Record<string, string> = depth === 'direct' ? { delimiter: '/' } : {}
  let token: string | undefined
  do {
    const query = { 'list-type': '2', prefix: client.keyOf(prefix), ...delimiter }
    const response = await client.send({
      method: 'GET',
      query: token === undefined ? query : { ...query, 'continuation-token': token },
    })
    if (!response) return
    const list = parseXml(await readText(response)).root
    for (const element of list?.children ?? []) {
      if (!(element instanceof XmlElement) || element.name !== 'Contents') continue
      const key = textOf(element, 'Key')
      yield {
        key: key.slice(client.keyOf('').length),
        size: Number(textOf(element, 'Size')),
        modifiedAt: Date.parse(textOf(element, 'LastModified')),
      }
    }
    const isTruncated = list !== null && textOf(list, 'IsTruncated') === 'true'
    token = isTruncated && list ? textOf(list, 'NextContinuationToken') : undefined
  } while (token !== undefined)
}

/** The text of the child with the name. */
function textOf({ children }: XmlElement, name: string): string {
  const found = children.find((child) => child instanceof XmlElement && child.name === name)
  return found instanceof XmlElement ? found.text : ''
}
