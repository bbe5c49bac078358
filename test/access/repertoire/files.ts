/** Requests on files: single ones, lists of them, uploads, copies, forms with files. */

import { hash } from 'node:crypto'
import fc from 'fast-check'
import { fileKey } from '../../../src/views/file-validators.ts'
import { uuid } from '../rows.ts'
import { type Kind, request, type World } from './step.ts'
import { anyTag } from './targets.ts'

export const files = {
  'a file': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'GET', 'HEAD', 'DELETE', 'OPTIONS'), anyFile(world))
        .map(([method, uri]) => `${method} ${uri}`),
      fc.oneof(
        anyTag,
        fc.constantFrom('bytes=0-1', 'bytes=9-', 'bytes=-2').map((range) => ({ range })),
      ),
    ),
  'a file by its content': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'GET', 'HEAD', 'PUT', 'OPTIONS'), anyStoredFile(world))
        .map(([method, uri]) => `${method} ${uri}`),
      fc.oneof(anyTag, fc.constant({ range: 'bytes=0-1' })),
    ),
  'a file that is sent': (world) =>
    request(
      world,
      anyFile(world).map((uri) => `PUT ${uri}`),
      fc
        .tuple(anyTag, fc.constantFrom('text/plain', 'text/plain', 'image/png', 'application/zip'))
        .map(([tag, type]) => ({ ...tag, 'content-type': type })),
      fc.constantFrom(...world.contents),
    ),
  'a file that is added to a list': (world) =>
    request(
      world,
      anyFileList(world).map((uri) => `POST ${uri}`),
      fc
        .tuple(
          anyTag,
          fc.constantFrom('text/plain', 'text/plain', 'image/png'),
          fc.constantFrom<Record<string, string>>(
            {},
            { 'idempotency-key': 'a' },
            { 'upload-draft-interop-version': '8', 'upload-complete': '?1' },
          ),
        )
        .map(([tag, type, more]) => ({ ...tag, ...more, 'content-type': type })),
      fc.constantFrom(...world.contents),
    ),
  'a file that is copied': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.scans))
        .map(([method, id]) => `${method} /scans/${id}`),
      anyTag,
      fc
        .tuple(fc.uuid(), fc.constantFrom('image', 'image', 'negative'), anyFileMember(world))
        // A new title, so that the version does not tell whether a hidden file is the same.
        .map(([title, name, value]) => ({ title, [name]: value })),
    ),
  'files of a list that are copied': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.scans))
        .map(([method, id]) => `${method} /scans/${id}`),
      anyTag,
      fc
        .tuple(
          fc.uuid(),
          fc.constantFrom('plates', 'plates', 'proofs'),
          fc.array(anyFileMember(world), { maxLength: 4 }),
        )
        .map(([title, name, value]) => ({ title, [name]: value })),
    ),
  'a new item with a file': (world) =>
    request(
      world,
      fc.constant('POST /scans'),
      fc.constantFrom<Record<string, string>>({}, { 'idempotency-key': 'a' }),
      anyFileMember(world).map((image) => ({ title: 'new', status: 'published', image })),
    ),
  'a form with a file': (world) =>
    request(
      world,
      fc
        .tuple(anyFile(world), fc.constantFrom('', '&match="x"', '&none-match=*'))
        .map(([uri, condition]) => `POST /forms${uri}?method=PUT${condition}`),
      fc.constant({ accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' }),
      fc
        .tuple(fc.constantFrom('image', 'negative'), fc.constantFrom(...world.contents))
        .map(([name, content]) => {
          const head = `Content-Disposition: form-data; name="${name}"; filename="a.txt"`
          return `--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`
        }),
    ),
  'a form with files for a list': (world) =>
    request(
      world,
      fc.oneof(
        anyFileList(world).map((uri) => `POST /forms${uri}`),
        anyFileList(world).map((uri) => `POST ${uri}`),
        fc
          .tuple(fc.constantFrom(...world.scans), anyListedFile, fc.constantFrom('DELETE', 'PUT'))
          .map(([id, file, method]) => `POST /forms/scans/${id}/${file}?method=${method}`),
      ),
      fc.constant({ accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' }),
      fc
        .tuple(
          fc.constantFrom('plates', 'proofs'),
          fc.array(fc.constantFrom(...world.contents), { maxLength: 3 }),
        )
        .map(([name, contents]) => {
          const head = `Content-Disposition: form-data; name="${name}"; filename="a.txt"`
          const parts = contents.map((content) => `--b\r\n${head}\r\n\r\n${content}\r\n`)
          return `${parts.join('')}--b--\r\n`
        }),
    ),
  'an upload that is begun': (world) =>
    request(
      world,
      anyFile(world).map((uri) => `PUT ${uri}`),
      // The id of an upload that is not complete is random.
      anyTag.map((tag) => ({
        ...tag,
        'content-type': 'text/plain',
        'upload-draft-interop-version': '8',
        'upload-complete': '?1',
      })),
      fc.constantFrom(...world.contents),
    ),
  'an upload that does not exist': (world) =>
    request(
      world,
      fc.constantFrom('HEAD', 'PATCH', 'DELETE', 'OPTIONS').map((method) => `${method} /uploads/abc`),
      fc.constantFrom<Record<string, string>>({ 'upload-offset': '0', 'upload-complete': '?1' }, {}),
    ),
} satisfies Readonly<Record<string, Kind>>

function anyFile(world: World): fc.Arbitrary<string> {
  const single = fc.constantFrom('image', 'image', 'negative', 'nothing')
  return fc
    .tuple(fc.constantFrom(...world.scans), fc.oneof(single, anyListedFile))
    .map(([id, name]) => `/scans/${id}/${name}`)
}

/** A file of a visible or of a hidden list. */
const anyListedFile = fc
  .tuple(fc.constantFrom('plates', 'plates', 'proofs', 'image'), fc.constantFrom(1, 2, 3))
  .map(([name, number]) => `${name}/${uuid(number)}`)

function anyFileList(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.scans), fc.constantFrom('plates', 'plates', 'proofs'))
    .map(([id, name]) => `/scans/${id}/${name}`)
}

/** Of the item, of a version, of another item, of a hidden field. */
function anyStoredFile(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...world.scans),
      fc.constantFrom(...world.contents),
      fc.constantFrom('a.txt', 'image'),
    )
    .map(([id, content, name]) => {
      const digest = hash('sha256', content, 'base64')
      return `/scans/${id}/-/files/${fileKey({ digest, type: 'text/plain', name })}`
    })
}

/** The member of a file, with the digest of any content: of the file, of a former one, of a hidden one. */
function anyFileMember(world: World): fc.Arbitrary<unknown> {
  const digests = world.contents.map((content) => `sha-256=:${hash('sha256', content, 'base64')}:`)
  return fc.oneof(
    anyFile(world).map((href) => ({ href })),
    anyStoredFile(world).map((href) => ({ href })),
    fc
      .tuple(fc.oneof(anyFile(world), anyStoredFile(world)), fc.constantFrom(...digests))
      .map(([href, digest]) => ({ href, digest })),
    fc.constantFrom<unknown>(...digests.map((digest) => ({ digest })), null),
  )
}
