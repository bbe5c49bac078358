/** Two kinds of field that are one file each, color() and duration(): all that the service does with them. */

import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { client } from 'restwell/client'
import { anyone, list, resource, service, text, where } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { schemaOf } from '../../../src/store/schema/model-schema.ts'
import { migrate, planMigration } from '../../../src/store/schema/run-migration.ts'
import { lastingDatabase } from '../../database.ts'
import { serve } from '../../service.ts'
import { color } from './color.ts'
import { duration } from './duration.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }
const laps = resource(
  {
    name: text({ max: 20 }),
    tint: color(),
    time: duration(),
    palette: list(color(), { unique: true }).default([]),
    rests: list(duration()).default([]),
  },
  { access, bulk: true, index: ['tint', 'time'] },
)
const definition = service({ title: 'Laps', resources: { laps } })

const items = [
  { name: 'a', tint: '#FF8800', time: 'PT90M', palette: ['#ABCDEF'], rests: ['PT60S'] },
  { name: 'b', tint: '#001122', time: 'PT20M' },
  { name: 'c', tint: '#00ff00', time: 'PT1H30M1S' },
]

const running = await serve(definition)
after(() => running[Symbol.asyncDispose]())
const { request } = running
await request('POST /laps', {}, items)
const names = async (query: string) => {
  const { json } = await request(`GET /laps?sort=name&${query}`)
  return json.map?.(({ name }: { readonly name: string }) => name) ?? json
}

suite('requests', () => {
  test('values have one form, in which they are stored, shown and compared', async () => {
    const [first] = (await request('GET /laps?name=a')).json
    assert.equal(first.tint, '#ff8800')
    assert.equal(first.time, 'PT1H30M')
    assert.deepEqual([first.palette, first.rests], [['#abcdef'], ['PT1M']])
    const { status } = await request(`PATCH /laps/${first.id}`, {}, { time: 'PT5400S', tint: '#Ff8800' })
    assert.equal(status, 200)
  })

  test('a value of another form is refused with the words of the kind', async () => {
    const { status, json } = await request(
      'POST /laps',
      {},
      { name: 'x', tint: 'red', time: '90 min', rests: ['1'] },
    )
    assert.equal(status, 422)
    const details = json.errors.map(
      (one: { pointer: string; detail: string }) => `${one.pointer} ${one.detail}`,
    )
    assert.deepEqual(details, [
      '/tint Must be a colour such as #ff8800.',
      '/time Must be a duration such as PT1H30M.',
      '/rests/0 Must be a duration such as PT1H30M.',
    ])
  })

  test('filters compare in the order of the values, not of their texts', async () => {
    assert.deepEqual(await names('tint=%23FF8800'), ['a'])
    assert.deepEqual(await names('tint[in]=%23FF8800,%23001122'), ['a', 'b'])
    assert.deepEqual(await names('tint[lt]=%2300FF00'), ['b'])
    assert.deepEqual(await names('time=PT5400S'), ['a'])
    assert.deepEqual(await names('time[gt]=PT60M'), ['a', 'c'])
    assert.deepEqual(await names('time[ne]=PT20M&time[lte]=PT1H30M'), ['a'])
    assert.deepEqual(await names('palette[has]=%23ABCDEF'), ['a'])
    assert.deepEqual(await names('rests[has]=PT1M'), ['a'])
    const queried = await request(
      'QUERY /laps?sort=name',
      {},
      { any: [{ tint: '#00FF00' }, { time: { lt: 'PT21M' } }] },
    )
    assert.deepEqual(
      queried.json.map(({ name }: { name: string }) => name),
      ['b', 'c'],
    )
  })

  test('a filter with a value of another form is refused with the words of the kind', async () => {
    const refused = await request('GET /laps?tint=red')
    assert.equal(refused.json.detail, "The parameter 'tint' must be a colour such as #ff8800.")
    const unknown = await request('GET /laps?time[contains]=PT')
    assert.match(unknown.json.detail, /Expected: eq, ne, lt, lte, gt, gte, in, missing/)
  })

  test('lists are sorted and paged by both', async () => {
    const sorted = async (query: string) =>
      (await request(`GET /laps?${query}`)).json.map(({ name }: { name: string }) => name)
    assert.deepEqual(await sorted('sort=tint'), ['c', 'b', 'a'].toSorted(byTint))
    assert.deepEqual(await sorted('sort=-time'), ['c', 'a', 'b'])
    const page = await request('GET /laps?sort=time&limit=1')
    const next = /<([^>]+)>; rel="next"/.exec(String(page.fields.link))?.[1] ?? ''
    assert.deepEqual(
      (await request(`GET ${next}`)).json.map(({ name }: { name: string }) => name),
      ['a'],
    )
  })

  test('groups, the least and the greatest, and sums where the kind has them', async () => {
    const { json } = await request(
      'GET /laps/-/aggregate?aggregate=time.sum,time.avg,time.min,time.max,count',
    )
    assert.deepEqual(json, [
      {
        'time.sum': 'PT3H20M1S',
        'time.avg': 'PT1H6M40S',
        'time.min': 'PT20M',
        'time.max': 'PT1H30M1S',
        count: 3,
      },
    ])
    const groups = await request('GET /laps/-/aggregate?group-by=tint&aggregate=count')
    assert.deepEqual(groups.json[0], { tint: '#001122', count: 1 })
    assert.equal((await request('GET /laps/-/aggregate?aggregate=tint.sum')).status, 400)
  })
})

function byTint(one: string, other: string): number {
  const tintOf = (name: string) => items.find((item) => item.name === name)!.tint.toLowerCase()
  return tintOf(one) < tintOf(other) ? -1 : 1
}

suite('formats', () => {
  test('CSV and XML have the same values, which can be sent back', async () => {
    const csv = await request('GET /laps?name=a&fields=tint,time,palette,rests&format=csv')
    assert.match(csv.text, /,#ff8800,PT1H30M,"\[""#abcdef""\]","\[""PT1M""\]"\r\n/)
    const xml = await request('GET /laps?name=a&format=xml')
    assert.match(
      xml.text,
      /<tint>#ff8800<\/tint><time>PT1H30M<\/time><palette><item>#abcdef<\/item><\/palette><rests><item>PT1M/,
    )
    const content = 'name,tint,time\r\nd,#ABCDEF,PT2M\r\n'
    const created = await request('POST /laps', { 'content-type': 'text/csv' }, content)
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(await names('tint=%23abcdef'), ['d'])
    const item = '<laps><name>e</name><tint> #ABCDEF </tint><time> PT3M </time></laps>'
    const sent = await request('POST /laps', { 'content-type': 'application/xml' }, item)
    assert.equal(sent.json.tint, '#abcdef')
    for (const { id } of (await request('GET /laps?tint=%23abcdef')).json) await request(`DELETE /laps/${id}`)
  })

  test('HAL and NDJSON have the same values, and HAL-FORMS the input', async () => {
    for (const format of ['hal', 'ndjson']) {
      assert.match(
        (await request(`GET /laps?format=${format}&name=a`)).text,
        /"tint":"#ff8800","time":"PT1H30M"/,
      )
    }
    const [{ id }] = (await request('GET /laps?name=a')).json
    const { json } = await request(`GET /laps/${id}`, { accept: 'application/prs.hal-forms+json' })
    const { properties } = json._templates.default
    const [tint, time] = properties.filter(({ name }: { name: string }) => name === 'tint' || name === 'time')
    assert.deepEqual(tint, {
      name: 'tint',
      required: true,
      value: '#ff8800',
      type: 'color',
      placeholder: '#ff8800',
    })
    assert.equal(time.placeholder, 'PT1H30M')
    assert.equal(time.maxLength, 23)
  })

  test('pages have a control for each, show the values, and forms are read', async () => {
    const page = await request('GET /forms/laps', { accept: 'text/html' })
    assert.match(page.text, /name="tint" type="color"/)
    assert.match(page.text, /name="time" type="text" pattern="PT\.\+"/)
    const form = 'name=f&tint=%23ABCDEF&time=+PT4M+&palette=%23000000&rests=PT1M%0D%0APT2M'
    const sent = await request('POST /laps', { 'content-type': 'application/x-www-form-urlencoded' }, form)
    assert.deepEqual([sent.json.tint, sent.json.time, sent.json.rests], ['#abcdef', 'PT4M', ['PT1M', 'PT2M']])
    const list = await request('GET /laps', { accept: 'text/html' })
    assert.match(list.text, /PT1H30M<\/td>/)
    assert.match(list.text, /name="time\[gte\]"/)
    const item = await request(`GET /laps/${sent.json.id}`, { accept: 'text/html' })
    assert.match(item.text, /<dd[^>]*>#abcdef/)
    const summary = await request('GET /laps/-/aggregate?group-by=tint&aggregate=time.sum', {
      accept: 'text/html',
    })
    assert.match(summary.text, /<td class="number">PT1H30M<\/td>/)
    await request(`DELETE /laps/${sent.json.id}`)
  })
})

suite('descriptions', () => {
  test('OpenAPI has the schemas, the examples and the values to compare with', async () => {
    const { json: document } = await request('GET /openapi.json')
    const { schemas } = document.components
    assert.equal(schemas.LapsCreate.properties.tint.pattern, '^#[0-9A-Fa-f]{6}$')
    assert.equal(schemas.LapsCreate.properties.time.maxLength, 23)
    assert.deepEqual(Object.keys(schemas.DurationComparison.properties), [
      ...['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'missing'],
    ])
    assert.equal(schemas.ColorComparison.properties.eq.pattern, '^#[0-9A-Fa-f]{6}$')
    const { example } = document.paths['/laps'].post.requestBody.content['application/json']
    assert.deepEqual([example.tint, example.time], ['#ff8800', 'PT1H30M'])
  })

  test('the client is typed by the definition and by the description', async () => {
    const { laps: api } = client<typeof definition>(running.url)
    const created = await api.create({ name: 'g', tint: '#AAAAAA', time: 'PT5M' })
    const tint: string = created.tint
    assert.equal(tint, '#aaaaaa')
    const found = await api.list({ time: { gte: 'PT5M' }, tint: '#AAAAAA' })
    assert.deepEqual(
      found.map(({ name }) => name),
      ['g'],
    )
    const [total] = await api.aggregate({ aggregate: ['time.sum'], name: 'g' })
    const sum: string | undefined = total?.['time.sum']
    assert.equal(sum, 'PT5M')
    await api.remove(created.id)
    assert.match((await request('GET /client.d.ts')).text, /readonly tint: string\n\s+readonly time: string/)
  })

  test('the documentation names the kinds', async () => {
    const { text: page } = await request('GET /docs', { accept: 'text/html' })
    assert.match(page, /duration/)
  })
})

suite('rules and checks', () => {
  test('rules compare fields of one kind, and constants in any spelling', () => {
    const withRule = (read: ReturnType<typeof where>) =>
      checkDefinition(
        service({
          title: 'R',
          resources: {
            laps: resource({ tint: color(), other: color(), time: duration() }, { access: { read } }),
          },
        }),
      )
    assert.ok(withRule(where({ tint: '#FF8800' })))
    assert.throws(() => withRule(where({ tint: 'red' })), /Must be a colour such as #ff8800/)
  })

  test('a kind that may not be a key is refused as one, and options are checked', () => {
    const keyed = resource({ tint: color() }, { access, key: 'tint' })
    assert.throws(
      () => checkDefinition(service({ title: 'K', resources: { keyed } })),
      /A key cannot be color\(\)/,
    )
    const wrong = resource({ time: duration({ unit: 'hours' as 'minutes' }) }, { access })
    assert.throws(
      () => checkDefinition(service({ title: 'K', resources: { wrong } })),
      /'unit' must be 'minutes'/,
    )
  })
})

suite('migration', () => {
  const withField = (field: Parameters<typeof resource>[0][string]) =>
    service({ title: 'M', resources: { things: resource({ value: field }, { access }) } })
  const schemaWith = (field: Parameters<typeof resource>[0][string]) =>
    schemaOf(checkDefinition(withField(field)))

  async function filled(
    t: Parameters<typeof lastingDatabase>[0],
    field: Parameters<typeof resource>[0][string],
    values: readonly unknown[],
  ) {
    const database = await lastingDatabase(t)
    await using before = await serve(withField(field), { database })
    for (const value of values) {
      const { status, text } = await before.request('POST /things', {}, { value })
      assert.equal(status, 201, text)
    }
    return database
  }

  test('texts that the kind stores as they are become its values', async (t) => {
    const database = await filled(t, text({ max: 20 }), ['#ff8800'])
    await migrate(database, schemaWith(color()), 'safe')
    await using after = await serve(withField(color()), { database })
    assert.equal((await after.request('GET /things?value=%23FF8800')).json.length, 1)
  })

  test('texts that the kind stores otherwise are named', async (t) => {
    const database = await filled(t, text({ max: 20 }), ['#FF8800', 'red'])
    await assert.rejects(
      migrate(database, schemaWith(color()), 'safe'),
      /color instead of text: 1 row has .* a value that it cannot show/,
    )
  })

  test('a narrower limit names the values that exceed it', async (t) => {
    const inMinutes = duration({ unit: 'minutes' })
    const database = await filled(t, duration(), ['PT90S', 'PT1H'])
    await assert.rejects(
      migrate(database, schemaWith(inMinutes), 'safe'),
      /1 row has .* a value that does not fit/,
    )
    const fitting = await filled(t, duration(), ['PT120S'])
    await migrate(fitting, schemaWith(inMinutes), 'safe')
    await using after = await serve(withField(inMinutes), { database: fitting })
    assert.equal((await after.request('GET /things')).json[0].value, 'PT2M')
  })

  test('the seconds of durations do not become texts of digits, nor texts seconds', async (t) => {
    const database = await filled(t, duration(), ['PT1H'])
    await assert.rejects(
      migrate(database, schemaWith(text({ max: 20 })), 'safe'),
      /cannot change the type of things\.value/,
    )
    assert.deepEqual(await planMigration(database, schemaWith(duration())), [])
    const texts = await filled(t, text({ max: 20 }), ['90'])
    await assert.rejects(
      migrate(texts, schemaWith(duration()), 'safe'),
      /cannot change the type of things\.value/,
    )
  })
})
