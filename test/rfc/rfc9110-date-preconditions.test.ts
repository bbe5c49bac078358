/** Preconditions by dates (RFC 9110 §13.1.3, §13.1.4). */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { serveBook, tagOf } from './conditional-books.ts'

describe('dates (§13.1.3, §13.1.4)', () => {
  const forms = (time: number) => {
    const date = new Date(time)
    const [imf, days, months] = [
      date.toUTCString(),
      ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
      'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' '),
    ]
    const [day, clock] = [String(date.getUTCDate()), imf.slice(17, 25)]
    const month = months[date.getUTCMonth()]
    const year = String(date.getUTCFullYear())
    const weekday = days[date.getUTCDay()] ?? ''
    return [
      imf,
      `${weekday}, ${day.padStart(2, '0')}-${month}-${year.slice(2)} ${clock} GMT`,
      `${weekday.slice(0, 3)} ${month} ${day.padStart(2)} ${clock} ${year}`,
    ]
  }

  test('If-Modified-Since is 304 on GET and HEAD, in all three forms of a date (§5.6.7)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const modified = Date.parse((await s.request(`GET ${uri}`)).fields['last-modified'] as string)
    s.advance(10_000)
    for (const date of forms(modified)) {
      for (const method of ['GET', 'HEAD']) {
        const response = await s.request(`${method} ${uri}`, { 'if-modified-since': date })
        assert.equal(response.status, 304, date)
        assert.equal(tagOf(response), tag)
      }
    }
    for (const date of forms(modified - 1000)) {
      assert.equal((await s.request(`GET ${uri}`, { 'if-modified-since': date })).status, 200, date)
    }
  })

  test('If-Modified-Since is ignored where it is invalid, several, or with other methods', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const future = new Date(Date.now() + 3_600_000).toUTCString()
    const past = new Date(Date.now() - 3_600_000).toUTCString()
    for (const date of ['yesterday', '0', `${past}, ${future}`]) {
      assert.equal((await s.request(`GET ${uri}`, { 'if-modified-since': date })).status, 200, date)
    }
    const now = { 'if-modified-since': new Date().toUTCString() }
    assert.equal((await s.request(`DELETE ${uri}`, now)).status, 204)
  })

  test('If-Modified-Since in the future is evaluated like any date (§13.1.3)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const future = new Date(Date.now() + 3_600_000).toUTCString()
    assert.equal((await s.request(`GET ${uri}`, { 'if-modified-since': future })).status, 304)
    assert.equal((await s.request(`HEAD ${uri}`, { 'if-modified-since': future })).status, 304)
  })

  test('If-Modified-Since is ignored beside If-None-Match, whether that matches or not (§13.1.3)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    s.advance(10_000)
    const since = new Date(Date.now() + 5000).toUTCString()
    const both = { 'if-none-match': '"x"', 'if-modified-since': since }
    assert.equal((await s.request(`GET ${uri}`, both)).status, 200)
  })

  test('If-Unmodified-Since refuses a write of an item changed since, and permits it otherwise (§13.1.4)', async () => {
    const { s, uri } = await serveBook()
    await using _ = s
    const modified = Date.parse((await s.request(`GET ${uri}`)).fields['last-modified'] as string)
    const [before] = forms(modified - 1000)
    const [same] = forms(modified)
    const change = { pages: 1 }
    const statusFor = async (date = '') =>
      (await s.request(`PATCH ${uri}`, { 'if-unmodified-since': date }, change)).status
    assert.equal(await statusFor(before), 412)
    assert.equal(await statusFor(same), 200)
    assert.equal(await statusFor('yesterday'), 200)
  })

  test('If-Unmodified-Since is ignored beside If-Match (§13.1.4)', async () => {
    const { s, uri, tag } = await serveBook()
    await using _ = s
    const old = new Date(0).toUTCString()
    const both = { 'if-match': tag, 'if-unmodified-since': old }
    assert.equal((await s.request(`PATCH ${uri}`, both, { pages: 1 })).status, 200)
  })
})
