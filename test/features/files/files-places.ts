/** The places where a service may store its files: a folder, and a bucket of an S3 server. */

import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createS3Bucket } from '../../../src/store/s3/s3-bucket.ts'
import { createS3Client } from '../../../src/store/s3/s3-client.ts'
import { parseS3Url } from '../../../src/store/s3/s3-url.ts'
import { startS3 } from './s3-server.ts'

export interface FilesPlace extends AsyncDisposable {
  /** For FILES_URL. */
  readonly url: string
  /** The digests of the stored content in hexadecimal, and the names of everything else that is stored. */
  names(): Promise<readonly string[]>
}

export const filesPlaces: Readonly<Record<string, () => Promise<FilesPlace>>> = {
  async 'a folder'() {
    const folder = await mkdtemp(join(tmpdir(), 'restwell-files-'))
    return {
      url: `file:${folder}`,
      names: async () => (await pathsIn(folder)).map((path) => path.replace(/^([0-9a-f]{2})\//, '$1')),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
    }
  },
  async S3() {
    const server = await startS3()
    const bucket = createS3Bucket(createS3Client(parseS3Url(server.url)))
    return {
      url: server.url,
      async names() {
        const objects = await Array.fromAsync(bucket.list(''))
        return objects.map(({ key }) => key.replace(/^content\//, ''))
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

async function pathsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
}
