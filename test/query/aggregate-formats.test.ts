/** Aggregates in each format, and their validators (docs/reference/http/lists.md, "Aggregates"). */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { handling } from '../handling.ts'
import { openTimesheet, type Timesheet, timesheet } from './timesheet.ts'

let opened: Timesheet
before(async () => {
  opened = await openTimesheet()
})
after(() => opened[Symbol.asyncDispose]())
const get: Timesheet['get'] = (...given) => opened.get(...given)
const rows: Timesheet['rows'] = (query) => opened.rows(query)

describe('formats and caching', () => {
  const query =
    'group-by=project,note&aggregate=count,hours.sum&project[missing]=false&note[missing]=false&hours[missing]=false'

  it('CSV and NDJSON have the same rows; text that begins like a formula is escaped', async () => {
    const [alpha, beta] = opened.projects
    const csv = await get(`${query}&format=csv`)
    assert.equal(csv.fields['content-type'], 'text/csv')
    assert.deepEqual(csv.text.split('\r\n'), [
      'project,note,count,hours.sum',
      `${alpha},first words,1,1.50`,
      `${beta},'=1+1,1,0.01`,
      '',
    ])
    const lines = (await get(query, { accept: 'application/x-ndjson' })).text.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      await rows(query),
    )
    assert.match((await get('aggregate=hours.sum&hours[lt]=0&format=csv')).text, /^hours\.sum\r\n-4\.00\r\n$/)
  })

  it('a page shows the beginning of a long text', async () => {
    await using own = await openTimesheet()
    const posted = await own.sheet.handle('POST /entries', {}, { note: `<${'x'.repeat(150)}` })
    assert.equal(posted.status, 201, posted.text)
    const { text } = await own.get('group-by=note&aggregate=count&format=html')
    assert.ok(text.includes(`&lt;${'x'.repeat(70)}`))
    assert.ok(!text.includes('x'.repeat(100)))
  })

  it('XML and HAL', async () => {
    const xml = await get('group-by=day.year&aggregate=count&sort=-day.year&format=xml')
    assert.match(xml.text, /<entries><item><day\.year>2026<\/day\.year><count>2<\/count><\/item>/)
    const hal = (await get('aggregate=count&format=hal')).json
    assert.equal(hal._links.self.href, '/entries/-/aggregate?aggregate=count')
    assert.equal(hal._links.collection.href, '/entries')
    assert.deepEqual(hal._embedded.item, [{ count: 5 }])
    const schema = await opened.sheet.handle(`GET ${hal._links.describedby.href}`)
    assert.deepEqual(schema.json.properties.count, { type: 'integer', minimum: 0 })
    assert.equal(schema.json.properties['hours.avg'].pattern, '^-?[0-9]+\\.[0-9]{4}$')
    assert.equal(schema.json.properties['secret.sum'], undefined)
  })

  it('HTML shows a table with titles', async () => {
    const page = await get('group-by=project&aggregate=count,hours.sum', { accept: 'text/html' })
    assert.match(page.text, /<h1>Entries by project<\/h1>/)
    assert.match(
      page.text,
      new RegExp(`<th scope="row"><a href="/projects/${opened.projects[1]}">Beta &lt;i&gt;</a></th>`),
    )
    assert.match(page.text, /<select id="summary-group" name="group-by">/)
    const items = await opened.sheet.handle('GET /entries', { accept: 'text/html' })
    assert.match(items.text, /<button popovertarget="summarise-panel">Summarise<\/button>/)
  })

  it('has an entity tag that changes with the result only, and HEAD as GET', async () => {
    await using own = await handling(timesheet)
    await own.handle('POST /entries', {}, { steps: 1 })
    const target = '/entries/-/aggregate?aggregate=steps.sum'
    const first = await own.handle(`GET ${target}`)
    assert.equal(first.fields['cache-control'], 'max-age=60')
    const again = await own.handle(`GET ${target}`, { 'if-none-match': String(first.fields.etag) })
    assert.equal(again.status, 304)
    const head = await own.handle(`HEAD ${target}`)
    assert.deepEqual([head.status, head.fields.etag, head.text], [200, first.fields.etag, first.text])
    await own.handle('POST /entries', {}, { hours: '1.00' })
    assert.equal((await own.handle(`GET ${target}`)).fields.etag, first.fields.etag)
    await own.handle('POST /entries', {}, { steps: 1 })
    assert.notEqual((await own.handle(`GET ${target}`)).fields.etag, first.fields.etag)
    assert.equal((await own.handle(`GET ${target}`, { 'if-match': String(first.fields.etag) })).status, 412)
  })

  it('Prefer: count=exact counts the groups', async () => {
    const { fields } = await get('group-by=status&aggregate=count', { prefer: 'count=exact' })
    assert.deepEqual([fields['total-count'], fields['preference-applied']], ['2', 'count=exact'])
  })

  it('a list links to its groups with a template of both parameters (RFC 6570 §2.3)', async () => {
    const { json } = await opened.sheet.handle('GET /entries?format=hal')
    const { href, templated } = json._links['rw:aggregate']
    assert.match(href, /^\/entries\/-\/aggregate\{\?.*,group%2Dby,aggregate,sort\}$/)
    assert.equal(templated, true)
    assert.doesNotMatch(json._links.search.href, /group|aggregate/)
    const [, name] = /(group%2Dby)/.exec(href) ?? []
    assert.equal((await get(`${name}=status&aggregate=count`)).status, 200)
  })
})
