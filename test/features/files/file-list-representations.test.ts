/** A list of files in every format and description, for every kind of client. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { client } from '../../../src/client.ts'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import { action, anyone, file, list, resource, service, state, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { serve } from '../../service.ts'
import { asPng, png } from './gallery.ts'

const photo = file({ types: ['image/*', 'text/plain'], max: '1 kB' })
const album = service({
  title: 'Album',
  resources: {
    tasks: resource(
      { title: text(), photos: list(photo, { max: 3 }) },
      { access: { read: anyone, create: anyone, update: anyone, delete: anyone }, history: {} },
    ),
  },
})

async function servePhotos() {
  const s = await serve(album)
  const task = String((await s.request('POST /tasks', {}, { title: 'A' })).fields.location)
  const named = (name: string) => ({ 'content-disposition': `attachment; filename="${name}"` })
  await s.request(`POST ${task}/photos`, { ...asPng, ...named('a&b.png') }, png)
  await s.request(`POST ${task}/photos`, { 'content-type': 'text/plain', ...named('c.txt') }, 'text')
  const photos = (await s.request(`GET ${task}`)).json.photos as readonly { href: string }[]
  return { s, task, photos }
}

describe('formats', () => {
  test('XML has an item for each file, and reads it back', async () => {
    const { s, task, photos } = await servePhotos()
    await using _ = s
    const { text: shown } = await s.request(`GET ${task}`, { accept: 'application/xml' })
    assert.ok(shown.includes(`<photos><item><href>${photos[0]?.href}</href><name>a&amp;b.png</name>`), shown)
    const kept = await s.request(`PUT ${task}`, { 'content-type': 'application/xml' }, shown)
    assert.equal(kept.status, 200, kept.text)
    assert.deepEqual(kept.json.photos, photos)
    const patch = `<tasks><photos><item><href>${photos[1]?.href}</href></item></photos></tasks>`
    const patched = await s.request(`PATCH ${task}`, { 'content-type': 'application/xml' }, patch)
    assert.deepEqual(patched.json.photos, [photos[1]])
  })

  test('CSV has JSON text; lists, NDJSON, HAL, versions and changes have the members of JSON', async () => {
    const { s, task, photos } = await servePhotos()
    await using _ = s
    const csv = await s.request('GET /tasks', { accept: 'text/csv' })
    assert.ok(csv.text.includes(`"${JSON.stringify(photos).replaceAll('"', '""')}"`), csv.text)
    const ndjson = await s.request('GET /tasks', { accept: 'application/x-ndjson' })
    assert.deepEqual(JSON.parse(ndjson.text).photos, photos)
    assert.deepEqual((await s.request('GET /tasks')).json[0].photos, photos)
    const hal = await s.request(`GET ${task}`, { accept: 'application/hal+json' })
    assert.deepEqual(hal.json.photos, photos)
    const versions = (await s.request(`GET ${task}/history`)).json
    const newest = (await s.request(`GET ${task}/history/${versions[0].version}`)).json
    const hrefs: string[] = newest.photos.map(({ href }: { href: string }) => href)
    assert.deepEqual(
      newest.photos,
      photos.map((photo, at) => ({ ...photo, href: hrefs[at] })),
    )
    assert.ok(
      hrefs.every((href) => href.startsWith(`${task}/-/files/`)),
      hrefs.join(),
    )
    const { json: events } = await s.request('GET /events')
    assert.ok(JSON.stringify(events).includes(JSON.stringify(photos)), JSON.stringify(events))
  })

  test('HAL-FORMS offers to add a file until the list is full', async () => {
    const { s, task } = await servePhotos()
    await using _ = s
    const templates = async () =>
      (await s.request(`GET ${task}`, { accept: 'application/prs.hal-forms+json' })).json._templates
    assert.deepEqual((await templates())['add-photos'], {
      title: 'Add to photos',
      method: 'POST',
      target: `${task}/photos`,
      contentType: 'multipart/form-data',
      properties: [{ name: 'photos', required: true, type: 'file' }],
    })
    await s.request(`POST ${task}/photos`, asPng, png)
    assert.equal((await templates())['add-photos'], undefined)
  })
})

describe('HTML', () => {
  const page = { accept: 'text/html' }
  const decodeHtml = (uri = '') => uri.replaceAll('&amp;', '&')

  test('a page shows each file with a preview, and forms that add and remove without a script', async () => {
    const { s, task, photos } = await servePhotos()
    await using _ = s
    const { text: shown } = await s.request(`GET ${task}`, page)
    assert.ok(shown.includes(`<img src="${photos[0]?.href}" alt="a&amp;b.png"`), shown)
    assert.match(shown, /<input id="add-photos" type="file" name="photos"[^>]* multiple/)
    const [, adding] = /action="(\/forms\/[^"]*\/photos)"/.exec(shown) ?? []
    const head = 'Content-Disposition: form-data; name="photos"; filename="d.txt"\r\nContent-Type: text/plain'
    const body = `--b\r\n${head}\r\n\r\nnew\r\n--b--\r\n`
    const form = { ...page, 'content-type': 'multipart/form-data; boundary=b' }
    const added = await s.request(`POST ${decodeHtml(adding)}`, form, body)
    assert.deepEqual([added.status, added.fields.location], [303, task], added.text)
    const removals = [...shown.matchAll(/action="(\/forms\/[^"]*\/photos\/[^"]*)"/g)].map(([, uri]) =>
      decodeHtml(uri),
    )
    assert.equal(removals.length, 2)
    const urlencoded = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
    const removed = await s.request(`POST ${removals[0]}`, urlencoded, '')
    assert.deepEqual([removed.status, removed.fields.location], [303, task], removed.text)
    const names = (await s.request(`GET ${task}`)).json.photos.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['c.txt', 'd.txt'])
    assert.equal((await s.request(`GET ${decodeHtml(adding)}`, page)).fields.location, task)
  })

  test('the edit form keeps the checked files and adds those that are chosen', async () => {
    const { s, task } = await servePhotos()
    await using _ = s
    const { text: shown } = await s.request(`GET /forms${task}`, page)
    const [, action] =
      /<form method="post" action="(\/forms\/tasks\/[^/"]*method=PATCH[^"]*)"/.exec(shown) ?? []
    const boxes = [...shown.matchAll(/name="photos\[\]" value="([^"]*)" checked/g)]
    assert.equal(boxes.length, 2)
    const value = (at: number) =>
      decodeHtml(boxes[at]?.[1]).replaceAll('&quot;', '"').replaceAll('&#34;', '"')
    const [, originals = ''] = /name="_originals" value="([^"]*)"/.exec(shown) ?? []
    const part = (name: string, content: string, more = '') =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`
    const send = (parts: string) =>
      s.request(
        `POST ${decodeHtml(action)}`,
        { ...page, 'content-type': 'multipart/form-data; boundary=b' },
        `${parts}${part('_originals', decodeHtml(originals))}--b--\r\n`,
      )
    const unchanged = part('photos[]', '') + part('photos[]', value(0)) + part('photos[]', value(1))
    const chosen = part('photos', 'new', '; filename="d.txt"')
    const sent = await send(unchanged + chosen)
    assert.equal(sent.status, 303, sent.text)
    const names = (await s.request(`GET ${task}`)).json.photos.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['a&b.png', 'c.txt', 'd.txt'])
  })
})

test('OpenAPI describes the list, its files and forms with several files', async () => {
  await using s = await serve(album)
  const { paths } = (await s.request('GET /openapi.json')).json
  assert.deepEqual(Object.keys(paths['/tasks/{id}/photos']), ['parameters', 'post'])
  const path = paths['/tasks/{id}/photos/{file}']
  assert.deepEqual(Object.keys(path), ['parameters', 'get', 'put', 'delete'])
  assert.ok(path.parameters.some(({ name }: { name?: string }) => name === 'file'))
  const { content } = paths['/tasks'].post.requestBody
  assert.equal(content['multipart/form-data'].schema.properties.photos.type, 'array')
  const schema = (await s.request('GET /schemas/tasks')).json
  assert.deepEqual(schema.properties.photos.items.required, ['href', 'name', 'type', 'size', 'digest'])
  assert.ok(schema.required.includes('photos'))
})

test('the client adds, gets, replaces, orders and removes files', async () => {
  await using s = await serve(album)
  const api = client<typeof album>(s.url)
  const { id } = await api.tasks.create({ title: 'A' })
  const photos = api.tasks.photos(id)
  const first = await photos.add(new File(['one'], 'größe (1).txt', { type: 'text/plain' }))
  const second = await photos.add(new Blob(['two'], { type: 'text/plain' }), { name: 'b.txt' })
  const read = await api.tasks.get(id)
  assert.deepEqual(
    read.photos.map(({ href, name }) => [href, name]),
    [
      [first, 'größe (1).txt'],
      [second, 'b.txt'],
    ],
  )
  assert.equal(await (await photos.file(first).get()).text(), 'one')
  await photos.file(first).put(new Blob(['new'], { type: 'text/plain' }))
  const turned = await api.tasks.patch(id, { photos: [{ href: second }, { href: first }] })
  assert.deepEqual(
    turned.photos.map(({ href }) => href),
    [second, first],
  )
  await photos.file(second).remove()
  assert.deepEqual(
    (await api.tasks.get(id)).photos.map(({ href }) => href),
    [first],
  )
  await assert.rejects(photos.file(second).get(), { status: 404 })
})

describe('faults of a definition', () => {
  const faultOf = (fields: object, logic?: object): string => {
    try {
      const access = { read: anyone, create: anyone, update: anyone }
      const tasks = resource({ title: text(), ...fields } as never, { access })
      checkDefinition(service({ title: 'T', resources: { tasks } }, logic as never))
    } catch (error) {
      if (error instanceof DefinitionFault) return error.message
      throw error
    }
    return 'no fault'
  }

  test('each names the option and what is expected', () => {
    assert.equal(faultOf({ photos: list(photo) }), 'no fault')
    assert.equal(faultOf({ photos: list(photo, { min: 1, max: 1000 }).optional() }), 'no fault')
    assert.match(faultOf({ photos: list(photo, { max: 1001 }) }), /at most 1000 files/)
    assert.match(
      faultOf({ photos: list(photo, { min: 101 }) }),
      /'min' \(101\) is greater than 'max' \(100\)/,
    )
    assert.match(faultOf({ photos: list(photo, { unique: true } as never) }), /'unique'/)
    assert.match(faultOf({ photos: list(photo.optional() as never) }), /cannot have modifiers/)
    assert.match(faultOf({ history: list(photo) }), /The file 'history': This name is reserved/)
    const actions = { tasks: { actions: { 'add-photos': action({ by: anyone, run: () => undefined }) } } }
    assert.match(faultOf({ photos: list(photo) }, actions), /Its form 'add-photos' has the name of an action/)
    const input = { photos: list(photo) as never }
    const sending = { tasks: { actions: { send: action({ by: anyone, input, run: () => undefined }) } } }
    assert.match(faultOf({}, sending), /An input cannot be file\(\)/)
    const transitions = { end: { from: 'open', to: 'done', sets: { photos: [] } } } as never
    const status = state({ initial: 'open', transitions })
    assert.match(
      faultOf({ photos: list(photo), status }),
      /'sets' cannot set 'photos', which is a list of files/,
    )
  })
})
