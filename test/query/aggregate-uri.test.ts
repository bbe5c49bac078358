/** Groups have a URI of their own (docs/reference/http/lists.md, "Aggregates"), so that a list has items only. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openTimesheet, type Timesheet } from './timesheet.ts'

let opened: Timesheet
before(async () => {
  opened = await openTimesheet()
})
after(() => opened[Symbol.asyncDispose]())
const handle: Timesheet['sheet']['handle'] = (...given) => opened.sheet.handle(...given)

const groups = '/entries/-/aggregate'

describe('a list has items only', () => {
  for (const method of ['GET', 'HEAD', 'QUERY', 'POST']) {
    it(`${method} with parameters of groups is 400`, async () => {
      const content = method === 'QUERY' || method === 'POST' ? {} : undefined
      for (const query of ['aggregate=count', 'group-by=status']) {
        const { status } = await handle(`${method} /entries?${query}`, {}, content)
        assert.equal(status, 400)
      }
    })
  }

  it('the problem names the URI of groups', async () => {
    const { json } = await handle('GET /entries?aggregate=count')
    assert.equal(json.type, '/problems/unknown-parameter')
    assert.match(json.detail, /that of the list with '\/-\/aggregate' at its end/)
  })
})

describe('the URI of groups', () => {
  it('is the same with %2D (RFC 3986 §6.2.2.2)', async () => {
    const { status, json } = await handle('GET /entries/%2D/aggregate?aggregate=count')
    assert.deepEqual([status, json], [200, [{ count: 5 }]])
  })

  it('has nothing below it, and no other name', async () => {
    for (const path of [
      `${groups}/-/links`,
      `${groups}/-/aggregate`,
      `${groups}/x`,
      '/entries/-/groups',
      '/entries/-',
    ])
      assert.equal((await handle(`GET ${path}?aggregate=count`)).status, 404, path)
    const [project] = opened.projects
    assert.equal((await handle(`GET /projects/${project}/-/aggregate?aggregate=count`)).status, 404)
  })

  it('offers GET, HEAD and QUERY alone (§10.2.1)', async () => {
    const { status, fields } = await handle(`POST ${groups}?aggregate=count`, {}, {})
    assert.deepEqual([status, fields.allow], [405, 'GET, HEAD, QUERY, OPTIONS'])
    assert.equal((await handle(`OPTIONS ${groups}`)).fields.allow, 'GET, HEAD, QUERY, OPTIONS')
  })

  it('has no stream of changes (§15.5.7)', async () => {
    const { status } = await handle(`GET ${groups}?aggregate=count`, { accept: 'text/event-stream' })
    assert.equal(status, 406)
  })

  it('links to its list, and to the schema of its rows', async () => {
    const { fields } = await handle(`GET ${groups}?aggregate=count`)
    const link = String(fields.link)
    assert.match(link, /<\/entries>; rel="?collection/)
    assert.match(link, /<\/schemas\/entries\.aggregate>; rel="?describedby/)
  })

  it('a form of its page leads to it, without the empty inputs', async () => {
    const { status, fields } = await handle(`GET /forms${groups}?steps=&group-by=&aggregate=count`)
    assert.deepEqual([status, fields.location], [303, `${groups}?aggregate=count`])
    const page = await handle(`GET ${groups}?aggregate=count`, { accept: 'text/html' })
    assert.match(page.text, new RegExp(`action="/forms${groups}"`))
    assert.match(page.text, /<a href="\/entries" rel="collection">Show the items<\/a>/)
    const list = await handle('GET /entries', { accept: 'text/html' })
    assert.match(list.text, new RegExp(`action="/forms${groups}"`))
  })

  it('there is no form below /forms for anything else below the segment', async () => {
    for (const path of ['/forms/entries/-/links', '/forms/entries/-/nothing'])
      assert.equal((await handle(`GET ${path}`, { accept: 'text/html' })).status, 404, path)
    assert.equal((await handle(`POST /forms${groups}`, {}, {})).status, 404)
  })
})

describe('descriptions', () => {
  it('a list has items alone, and its groups are an operation of their own', async () => {
    const { paths, components } = (await handle('GET /openapi.json')).json
    const rows = (path: string) => {
      const { $ref } = paths[path].get.responses['200']
      return components.responses[$ref.split('/').at(-1)].content['application/json'].schema.items
    }
    assert.deepEqual(rows('/entries'), { $ref: '#/components/schemas/EntriesShown' })
    assert.deepEqual(rows(groups), { $ref: '#/components/schemas/EntriesAggregate' })
    assert.equal(paths[groups].get.operationId, 'entriesAggregate')
    const names = components.schemas.EntriesAggregate.properties
    assert.deepEqual(names.count, { type: 'integer', minimum: 0 })
    assert.ok('status' in names && !('tags' in names) && !('secret' in names), Object.keys(names).join())
    assert.equal(components.parameters['Entries.aggregates'].required, true)
  })
})
