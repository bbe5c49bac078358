/** Signature Version 4: the examples of Amazon's documentation ("Authenticating Requests (AWS Signature Version 4)"). */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { anyone, file, list, resource, service, text } from '../../../src/index.ts'
import { openFileStore } from '../../../src/store/files/open-file-store.ts'
import { signRequest } from '../../../src/store/s3/s3-signature.ts'
import { serve } from '../../service.ts'
import { asPng, gallery, newPicture, png } from './gallery.ts'
import { accessKey, region, secretKey, startVerifyingServer } from './verifying-s3-server.ts'

const host = 'https://examplebucket.s3.amazonaws.com'

const signer = {
  region: 'us-east-1',
  credentials: {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: undefined,
  },
  now: Date.UTC(2013, 4, 24),
}

const examples = [
  {
    name: 'GET of a range',
    request: { method: 'GET', uri: `${host}/test.txt`, fields: { range: 'bytes=0-9' }, content: '' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    name: 'PUT of an object whose key is encoded',
    request: {
      method: 'PUT',
      uri: `${host}/test%24file.text`,
      fields: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      content: 'Welcome to Amazon S3.',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    name: 'GET with a parameter without value',
    request: { method: 'GET', uri: `${host}/?lifecycle`, fields: {}, content: '' },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    name: 'GET of a list',
    request: { method: 'GET', uri: `${host}/?max-keys=2&prefix=J`, fields: {}, content: '' },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

for (const { name, request, signature } of examples) {
  test(`${name} has the documented signature`, () => {
    const { method, uri, fields, content } = request
    const contentDigest = hash('sha256', content, 'hex')
    const signed = signRequest({ method, uri: new URL(uri), fields, contentDigest }, signer)
    assert.equal(signed.authorization?.split('Signature=')[1], signature)
  })
}

test('a session token is signed too', () => {
  const credentials = { ...signer.credentials, sessionToken: 'token' }
  const request = { method: 'GET', uri: new URL(host), fields: {}, contentDigest: hash('sha256', '', 'hex') }
  const signed = signRequest(request, { ...signer, credentials })
  assert.equal(signed['x-amz-security-token'], 'token')
  assert.match(signed.authorization ?? '', /x-amz-date;x-amz-security-token, /)
})

test('a server that verifies signatures accepts each operation, and none with another key', async () => {
  await using server = await startVerifyingServer()
  const user = `${encodeURIComponent(accessKey)}:${encodeURIComponent(secretKey)}`
  const query = `endpoint=${encodeURIComponent(server.endpoint)}&region=${region}`
  const url = `s3://${user}@files/a%20prefix/(1)?${query}`
  await using s = await serve(gallery, { files: url })
  const item = await newPicture(s.request)
  assert.equal((await s.request(`PUT ${item}/image`, asPng, png)).status, 201)
  assert.deepEqual((await s.request(`GET ${item}/image`)).octets, png)
  const { store } = await openFileStore({ url, database: 'file::memory:' })
  const { digest } = (await s.request(`GET ${item}`)).json.image
  const name = digest.slice('sha-256=:'.length, -1)
  assert.equal(await store.sizeOf(name), png.length)
  const later = Date.now() + 86_400_000
  assert.deepEqual(await Array.fromAsync(store.unusedSince(later)), [name])
  // Moves the content between its two keys, by copies, marks and removals.
  assert.equal(await store.setAside(name, later), true)
  await store.restore(name)
  assert.equal(await store.renew(name), true)
  assert.deepEqual([...new Set(server.verified)].sort(), ['DELETE', 'GET', 'HEAD', 'PUT'])
  const other = await openFileStore({
    url: url.replace(encodeURIComponent(secretKey), 'other'),
    database: '',
  })
  await assert.rejects(other.store.sizeOf(name), /403/)
})

test('a field that takes larger files than one PUT is refused at the start', async () => {
  const cover = (max: string) => {
    const access = { read: anyone }
    const tasks = resource({ title: text(), covers: list(file({ types: ['*/*'], max })) }, { access })
    return service({ title: 'T', resources: { tasks } })
  }
  const files = 's3://KEY:SECRET@files?endpoint=http://127.0.0.1:9'
  await assert.rejects(serve(cover('6 GB'), { files }), /tasks\.covers takes files of 6 GB, .* at most 5 GB/)
  await using s = await serve(cover('5 GB'), { files })
  assert.equal((await s.request('GET /tasks')).status, 200)
})
