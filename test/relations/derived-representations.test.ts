/** Derived fields in every format, and in the descriptions of a service. */

import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { anyone, computed, integer, resource, service, text as textField } from 'restwell'
import { explainResource } from '../../src/commands/definition-summary.ts'
import { checkDefinition } from '../../src/service/check-definition.ts'
import { handling } from '../handling.ts'
import { admin } from '../service.ts'
import { definition, openTimesheet, type Timesheet } from './timesheet.ts'

let s: Timesheet
let garden = ''

before(async () => {
  s = await openTimesheet()
  garden = await s.create('projects', { name: 'Garden', due: '2020-01-01' })
  for (const status of ['open', 'done']) await s.create('tasks', { title: 'Dig', status, project: garden })
  await s.create('entries', { hours: '31.50', project: garden })
})

after(() => s[Symbol.asyncDispose]())

async function text(line: string, who = {}): Promise<string> {
  const response = await s.handle(`GET ${line}`, who)
  assert.equal(response.status, 200, response.text)
  return response.text
}

it('CSV and NDJSON have a column or member for each derived field that is shown', async () => {
  assert.match(await text('/projects?format=csv'), /^id,name,due,closed,size,createdAt,updatedAt\r\n/)
  assert.equal(await text('/projects?format=csv&fields=hours,size'), `id,size,hours\r\n${garden},2,31.50\r\n`)
  assert.equal(
    await text('/projects?format=ndjson&fields=open,overdue'),
    `${JSON.stringify({ id: garden, open: 1, overdue: true })}\n`,
  )
})

it('XML and HAL show derived fields', async () => {
  const xml = await text(`/projects/${garden}?format=xml`)
  assert.match(xml, /<size>2<\/size>/)
  assert.match(xml, /<hours>31\.50<\/hours>/)
  assert.equal(JSON.parse(await text(`/projects/${garden}?format=hal`)).size, 2)
  const list = JSON.parse(await text('/projects?format=hal&fields=size'))
  assert.deepEqual(JSON.stringify(list).match(/"size":\d+/g), ['"size":2'])
})

it('a PUT may send the XML back that it read', async () => {
  const xml = await text(`/projects/${garden}?format=xml`, admin)
  const put = (content: string) =>
    s.handle(`PUT /projects/${garden}`, { ...admin, 'content-type': 'application/xml' }, content)
  assert.equal((await put(xml)).status, 200)
  const other = await put(xml.replace('<size>2</size>', '<size>3</size>'))
  assert.deepEqual([other.status, JSON.parse(other.text).errors[0].pointer], [422, '/size'])
})

it('HTML shows derived fields of an item, in tables and in the filter form', async () => {
  const item = await text(`/projects/${garden}?format=html`)
  assert.match(item, /<dt>Hours<\/dt><dd>31\.50<\/dd>/)
  assert.doesNotMatch(item, /name="size"/)
  const list = await text('/projects?format=html')
  assert.match(list, /<th[^>]*><a href="\/projects\?[^"]*sort=size">Size<\/a>/)
  assert.match(list, /name="hours\[gte\]"/)
  assert.doesNotMatch(list, /name="overdue"/)
})

it('the schema of an item has derived fields as readOnly, and the others leave them out', async () => {
  const { properties, required } = JSON.parse(await text('/schemas/projects'))
  assert.deepEqual(properties.size, { type: 'integer', minimum: 0, readOnly: true })
  assert.equal(properties.hours.readOnly, true)
  assert.equal(properties.overdue.readOnly, true)
  assert.ok(required.includes('size'))
  assert.equal(required.includes('hours'), false)
  assert.equal(Object.hasOwn(properties, 'spent'), false)
  assert.equal(Object.hasOwn(JSON.parse(await text('/schemas/projects', admin)).properties, 'spent'), true)
  for (const name of ['projects.create', 'projects.patch']) {
    assert.equal(Object.hasOwn(JSON.parse(await text(`/schemas/${name}`)).properties, 'size'), false, name)
  }
})

it('OpenAPI offers filters and orders by derived aggregates', async () => {
  const { components } = JSON.parse(await text('/openapi.json'))
  const parameters = Object.values<{ name: string; schema: object }>(components.parameters)
  const names = parameters.map(({ name }) => name)
  assert.ok(names.includes('size') && names.includes('hours') && !names.includes('overdue'))
  const sort = parameters.filter(({ name }) => name === 'sort').map(({ schema }) => JSON.stringify(schema))
  assert.ok(sort.some((schema) => schema.includes('"-hours"')))
})

it('the documentation and `restwell check` explain derived fields', async () => {
  const docs = await text('/docs?format=html')
  assert.match(docs, /Derived: the number of tasks where status is open\./)
  const model = checkDefinition(definition)
  const words = explainResource(model, model.resources.get('projects')!)
  assert.match(words, /size: the number of tasks, shown in lists too\n/)
  assert.match(words, /hours: the sum of hours in entries\n/)
  assert.match(words, /overdue: boolean, computed from due, closed\n/)
})

it('a function that fails is a 500, and the log names the field', async () => {
  const compute = (name: string) => {
    if (name === 'throws') throw new Error('Out of order')
    return 1.5
  }
  const things = resource(
    { name: textField() },
    {
      access: { read: anyone, create: anyone },
      derived: { broken: computed(integer(), ['name'], (thing) => compute(thing.name)) },
    },
  )
  await using other = await handling(service({ title: 'Things', resources: { things } }))
  for (const name of ['throws', 'no integer']) {
    assert.equal((await other.handle('POST /things', {}, { name })).status, 500, name)
  }
  const bugs = other.observations.filter(({ kind }) => kind === 'bug')
  assert.equal(bugs.length, 2)
  for (const bug of bugs)
    assert.match(String((bug as { cause?: unknown }).cause ?? Object.values(bug).join()), /things\.broken/)
})

it('a stream of events cannot be filtered by a derived field', async () => {
  const events = { accept: 'text/event-stream' }
  assert.equal((await s.handle('GET /projects?size=2', events)).status, 400)
})
