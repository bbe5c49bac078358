/** The order of decisions (docs/reference/http.md): of two faults, the response reports the one that is decided first. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  absentId,
  asAda,
  asBob,
  asJson,
  chunked,
  decidedBy,
  invalid,
  long,
  plain,
  png,
  stale,
  start,
} from './ordered-decisions.ts'

describe('from the request line', () => {
  test('501 unknown method, before 414', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`FOO /${'x'.repeat(9000)}`)).status, 501)
  })

  test('414, before 400 malformed target', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /%zz${'x'.repeat(9000)}`)).status, 414)
  })

  test('400 malformed target, before 301 trailing slash', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /notes/?slug=%zz'), 400, 'resolveTarget')
  })

  test('301 former name, before 404 of the item, 405 and 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /memos/${absentId}`)).status, 301)
    assert.equal((await s.request('DELETE /memos')).status, 301)
    assert.equal((await s.request('GET /memos', invalid)).status, 301)
  })

  test('301 trailing slash, before 404 of the item and 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request(`GET /notes/${absentId}/`)).status, 301)
    assert.equal((await s.request('GET /secrets/', invalid)).status, 301)
  })

  test('404 unknown path, before 405', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('DELETE /nothing'), 404, 'resolveTarget')
    decidedBy(s, await s.request('PROPFIND /nothing'), 404, 'resolveTarget')
  })

  test('405, before 401', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('DELETE /secrets', invalid), 405, 'requireAllowedMethod')
  })

  test('OPTIONS responds before 401', async () => {
    const { s } = await start()
    await using _ = s
    assert.equal((await s.request('OPTIONS /secrets', invalid)).status, 204)
  })
})

describe('from credentials and header fields', () => {
  test('401 invalid credentials, before 403 and 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', { ...invalid, ...png }), 401, 'authenticate')
  })

  test('401 without credentials, before 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', png), 401, 'requirePermission')
  })

  test('403, before 406', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /secrets', { ...asAda, ...png }), 403, 'requirePermission')
  })

  test('406, before 400 query', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(s, await s.request('GET /notes?nonsense=1', png), 406, 'negotiateFormat')
  })

  test('400 query, before 415 and 413', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...plain }
    decidedBy(s, await s.request('POST /notes?nonsense=1', fields, long), 400, 'parseQuery')
  })

  test('415, before 413', async () => {
    const { s } = await start()
    await using _ = s
    decidedBy(
      s,
      await s.request('POST /notes', { ...asAda, ...plain }, long),
      415,
      'requireAcceptableContent',
    )
  })

  test('415 and 413 from header fields, before 404 absent', async () => {
    const { s } = await start()
    await using _ = s
    const line = `PUT /notes/${absentId}`
    decidedBy(s, await s.request(line, { ...asAda, ...plain }, 'x'), 415, 'requireAcceptableContent')
    decidedBy(s, await s.request(line, { ...asAda, ...asJson }, long), 413, 'requireAcceptableContent')
  })
})

describe('from the record', () => {
  test('404 absent, before 412 and 428', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...stale }
    decidedBy(s, await s.request(`DELETE /notes/${absentId}`, fields), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`GET /notes/${absentId}`, stale), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`DELETE /strict/${absentId}`), 404, 'requireItemAccess')
  })

  test('404 absent, before 400 content, missing content included', async () => {
    const { s } = await start()
    await using _ = s
    const fields = { ...asAda, ...asJson }
    decidedBy(s, await s.request(`PUT /notes/${absentId}`, fields, '{'), 404, 'requireItemAccess')
    decidedBy(s, await s.request(`PATCH /notes/${absentId}`, fields), 404, 'requireItemAccess')
  })

  test('410, before 412', async () => {
    const { s, note } = await start()
    await using _ = s
    await s.request(`DELETE ${note}`, asAda)
    decidedBy(s, await s.request(`DELETE ${note}`, { ...asAda, ...stale }), 410, 'requireItemAccess')
  })

  test('403 on the record, before 412 and 400 content', async () => {
    const { s, note } = await start()
    await using _ = s
    const fields = { ...asBob, ...stale, ...asJson }
    decidedBy(s, await s.request(`PATCH ${note}`, fields, '{'), 403, 'requireItemAccess')
  })

  test('412, before 413 while reading and 400 content, missing content included', async () => {
    const { s, note } = await start()
    await using _ = s
    const fields = { ...asAda, ...stale }
    decidedBy(s, await s.request(`PATCH ${note}`, { ...fields, ...chunked }, long), 412, 'checkPreconditions')
    decidedBy(s, await s.request(`PATCH ${note}`, { ...fields, ...asJson }, '{'), 412, 'checkPreconditions')
    decidedBy(s, await s.request(`PATCH ${note}`, fields), 412, 'checkPreconditions')
  })

  test('428, before 400 content', async () => {
    const { s } = await start()
    await using _ = s
    const { location } = (await s.request('POST /strict', {}, { slug: 'a' })).fields
    decidedBy(s, await s.request(`PUT ${location}`, asJson, '{'), 428, 'checkPreconditions')
  })
})
