/** An S3 server with a bucket, behind a proxy that can cut the connections to it. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { type FaultProxy, faultProxy } from '../../fault-proxy.ts'

export interface S3Server extends AsyncDisposable {
  /** For FILES_URL. */
  readonly url: string
  readonly proxy: FaultProxy
}

export async function startS3(prefix = ''): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'restwell-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'files', configs: [] }],
  })
  const { port } = await server.run()
  const proxy = await faultProxy(port)
  const endpoint = `http://127.0.0.1:${proxy.port}`
  return {
    // The account that the server knows.
    url: `s3://S3RVER:S3RVER@files${prefix}?endpoint=${encodeURIComponent(endpoint)}`,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await server.close()
      await rm(directory, { recursive: true })
    },
  }
}
