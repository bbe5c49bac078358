/** A file in every format and description, for every kind of client. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { client } from '../../../src/client.ts'
import { DefinitionFault } from '../../../src/definition/definition-fault.ts'
import { action, anyone, file, ref, resource, service, text } from '../../../src/index.ts'
import { checkDefinition } from '../../../src/service/check-definition.ts'
import { maskPositions } from '../../positions.ts'
import { admin, serve } from '../../service.ts'
import { asPng, digestOf, gallery, newAccount, newPicture, png } from './gallery.ts'

async function serveFile() {
  const s = await serve(gallery)
  const item = await newPicture(s.request)
  const fields = { ...asPng, 'content-disposition': 'attachment; filename="a&b.png"' }
  await s.request(`PUT ${item}/image`, fields, png)
  return { s, item }
}

describe('formats', () => {
  test('XML has an element for each member, and reads it back', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { text: shown } = await s.request(`GET ${item}`, { accept: 'application/xml' })
    const expected = `<image><href>${item}/image</href><name>a&amp;b.png</name><type>image/png</type><size>${png.length}</size><digest>${digestOf(png)}</digest></image>`
    assert.ok(shown.includes(expected), shown)
    const kept = await s.request(`PUT ${item}`, { 'content-type': 'application/xml' }, shown)
    assert.equal(kept.status, 200, kept.text)
    assert.equal(kept.json.image.name, 'a&b.png')
    const other = await newPicture(s.request)
    const patch = `<pictures><image><href>${item}/image</href></image></pictures>`
    const copied = await s.request(`PATCH ${other}`, { 'content-type': 'application/xml' }, patch)
    assert.equal(copied.json.image.size, png.length)
  })

  test('CSV has JSON text, NDJSON and HAL have the member of JSON', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { image } = (await s.request(`GET ${item}`)).json
    const csv = await s.request('GET /pictures', { accept: 'text/csv' })
    assert.ok(csv.text.includes(`"${JSON.stringify(image).replaceAll('"', '""')}"`), csv.text)
    const ndjson = await s.request('GET /pictures', { accept: 'application/x-ndjson' })
    assert.deepEqual(JSON.parse(ndjson.text).image, image)
    const list = await s.request('GET /pictures')
    assert.deepEqual(list.json[0].image, image)
    const hal = await s.request(`GET ${item}`, { accept: 'application/hal+json' })
    assert.deepEqual(hal.json.image, image)
  })

  test('HAL-FORMS offers to upload and remove what the caller may write', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { _templates } = (await s.request(`GET ${item}`, { accept: 'application/prs.hal-forms+json' })).json
    assert.deepEqual(_templates['upload-image'], {
      title: 'Upload image',
      method: 'PUT',
      target: `${item}/image`,
      contentType: 'multipart/form-data',
      properties: [{ name: 'image', required: true, type: 'file' }],
    })
    assert.equal(_templates['remove-image'].method, 'DELETE')
    assert.equal(_templates['upload-locked'], undefined)
    const property = _templates.default.properties.find(({ name }: { name: string }) => name === 'image')
    assert.equal(property.value.href, `${item}/image`)
  })

  test('a base is part of the href', async () => {
    const access = { read: anyone, create: anyone, update: anyone }
    const cover = file({ types: ['*/*'], max: '1 kB' }).optional()
    const tasks = resource({ title: text(), cover }, { access })
    await using s = await serve(service({ title: 'Tasks', base: '/api', resources: { tasks } }))
    const { location } = (await s.request('POST /api/tasks', {}, { title: 'A' })).fields
    assert.equal(
      (await s.request(`PUT ${location}/cover`, { 'content-type': 'text/plain' }, 'x')).status,
      201,
    )
    const { href } = (await s.request(`GET ${location}`)).json.cover
    assert.equal(href, `${location}/cover`)
    const copy = await s.request('POST /api/tasks', {}, { title: 'B', cover: { href } })
    assert.equal(copy.status, 201, copy.text)
  })
})

describe('HTML', () => {
  const page = { accept: 'text/html' }

  test('a page shows the file with a preview and forms', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { text: shown } = await s.request(`GET ${item}`, page)
    assert.ok(shown.includes(`<img src="${item}/image" alt="a&amp;b.png"`), shown)
    assert.ok(shown.includes(`<a href="${item}/image" type="image/png">a&amp;b.png</a>`))
    assert.match(shown, /<form method="post" action="[^"]*" enctype="multipart\/form-data"/)
    assert.match(shown, /<input id="upload-image" type="file" name="image"/)
  })

  test('the forms upload and remove, and lead back to the item', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { text: shown } = await s.request(`GET ${item}`, page)
    const actions = [...shown.matchAll(/action="(\/forms\/[^"]*\/image\?[^"]*)"/g)].map(([, uri = '']) =>
      uri.replaceAll('&amp;', '&'),
    )
    const [upload, removal] = ['method=PUT', 'method=DELETE'].map((method) =>
      actions.find((uri) => uri.includes(method)),
    )
    const head = 'Content-Disposition: form-data; name="image"; filename="c.txt"\r\nContent-Type: text/plain'
    const body = `--b\r\n${head}\r\n\r\nnew\r\n--b--\r\n`
    const form = { ...page, 'content-type': 'multipart/form-data; boundary=b' }
    const sent = await s.request(`POST ${upload}`, form, body)
    assert.equal(sent.status, 303, sent.text)
    assert.equal(sent.fields.location, item)
    assert.equal((await s.request(`GET ${item}/image`)).text, 'new')
    // The page shows the file from before the upload.
    const stale = await s.request(
      `POST ${removal}`,
      { ...page, 'content-type': 'application/x-www-form-urlencoded' },
      '',
    )
    assert.equal(stale.status, 412)
    const empty = `--b\r\nContent-Disposition: form-data; name="image"; filename=""\r\n\r\n\r\n--b--`
    const again = (await s.request(`GET ${item}`, page)).text
    const next = /action="(\/forms\/[^"]*\/image\?method=PUT[^"]*)"/
      .exec(again)?.[1]
      ?.replaceAll('&amp;', '&')
    assert.equal((await s.request(`POST ${next}`, form, empty)).status, 422)
  })

  test('an edit form keeps the file', async () => {
    const { s, item } = await serveFile()
    await using _ = s
    const { etag } = (await s.request(`GET ${item}`)).fields
    const target = `/forms${item}?method=PATCH&match=${encodeURIComponent(String(etag))}`
    const form = { ...page, 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await s.request(`POST ${target}`, form, 'title=New')).status, 303)
    const { title, image } = (await s.request(`GET ${item}`)).json
    assert.equal(title, 'New')
    assert.equal(image.name, 'a&b.png')
  })
})

test('OpenAPI describes the methods, ranges and types of a file', async () => {
  await using s = await serve(gallery)
  const { paths, components } = (await s.request('GET /openapi.json')).json
  const path = paths['/pictures/{id}/image']
  assert.deepEqual(Object.keys(path), ['parameters', 'get', 'put', 'delete'])
  assert.deepEqual(Object.keys(path.get.responses['206'].content), [
    'image/*',
    'application/pdf',
    'text/*',
    'audio/*',
  ])
  assert.ok('416' in path.get.responses)
  assert.ok('multipart/form-data' in path.put.requestBody.content)
  assert.equal(paths['/pictures/{id}/original'], undefined)
  assert.ok(components.schemas.Problem.properties.type.enum.includes('/problems/range-not-satisfiable'))
  const schema = (await s.request('GET /schemas/pictures')).json
  assert.deepEqual(schema.properties.image.required, ['href', 'name', 'type', 'size', 'digest'])
})

test('the client puts, gets and removes a blob', async () => {
  await using s = await serve(gallery)
  const api = client<typeof gallery>(s.url)
  const { id } = await api.pictures.create({ title: 'A' })
  const image = api.pictures.image(id)
  await image.put(new File(['one'], 'größe (1).txt', { type: 'text/plain' }))
  const read = await api.pictures.get(id)
  assert.equal(read.image?.name, 'größe (1).txt')
  const got = await image.get()
  assert.equal(await got.text(), 'one')
  await image.put(new Blob(['two'], { type: 'text/plain' }), { name: 'b.txt' })
  const item = await api.pictures.patch(id, { title: 'B' })
  assert.equal(item.image?.name, 'b.txt')
  const copy = await api.pictures.create({ title: 'C', image: { href: item.image?.href ?? '' } })
  assert.equal(copy.image?.size, 3)
  await image.remove()
  assert.equal((await api.pictures.get(id)).image, undefined)
  await assert.rejects(image.get(), { status: 404 })
})

test('a hidden file changes no byte of any response', async () => {
  const observe = async (hidden: boolean) => {
    await using s = await serve(gallery)
    const ada = await newAccount(s.request, 'ada')
    const item = await newPicture(s.request, { title: 'A' })
    if (hidden) await s.request(`PUT ${item}/original`, { ...admin, ...asPng }, png)
    const lines: readonly [string, object, unknown?][] = [
      [`GET ${item}/original`, {}],
      [`HEAD ${item}/original`, {}],
      [`GET ${item}/original`, { range: 'bytes=0-1', 'if-range': '"x"' }],
      [`GET ${item}/original`, { 'if-none-match': '*' }],
      [`PUT ${item}/original`, { ...asPng, 'if-none-match': '*' }, png],
      [`PUT ${item}/original`, { ...asPng, 'if-match': '*' }, png],
      [`DELETE ${item}/original`, {}],
      [`PATCH ${item}`, {}, { image: { href: `${item}/original` } }],
      [`PATCH ${item}`, {}, { original: { href: `${item}/image` } }],
      ['GET /pictures?fields=original', {}],
      ['GET /pictures?original[missing]=true', {}],
      ['GET /openapi.json', {}],
    ]
    const seen: string[] = []
    for (const [line, fields, body] of lines) {
      const reply = await s.request(line, { ...ada, ...fields }, body)
      seen.push(`${line}: ${reply.status} ${maskPositions(reply.text)}`.replaceAll(item, 'ITEM'))
    }
    return seen.map((line) =>
      line.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replace(/"(?:createdAt|updatedAt)":"[^"]*"/g, ''),
    )
  }
  assert.deepEqual(await observe(true), await observe(false))
})

describe('faults of a definition', () => {
  /** The message of all faults. */
  const faultsIn = (definition: unknown): string => {
    try {
      checkDefinition(definition)
    } catch (error) {
      if (error instanceof DefinitionFault) return error.message
    }
    return 'no fault'
  }
  const faultOf = (declare: () => unknown) => {
    const fields = { title: text(), cover: declare() } as never
    const tasks = resource(fields, { access: { read: anyone } })
    return faultsIn(service({ title: 'T', resources: { tasks } }))
  }

  test('each names the option and what is expected', () => {
    assert.match(
      faultOf(() => file({} as never)),
      /tasks\.cover: The option 'types' is missing\. Add types: \['image\/\*'\]\./,
    )
    assert.match(
      faultOf(() => file({ types: ['image/*'] } as never)),
      /The option 'max' is missing\. Add max: '20 MB'\./,
    )
    assert.match(
      faultOf(() => file({ types: ['image'], max: '1 MB' })),
      /'types' must be a list of media types/,
    )
    assert.match(
      faultOf(() => file({ types: [], max: '1 MB' })),
      /'types'/,
    )
    assert.match(
      faultOf(() => file({ types: ['multipart/form-data'], max: '1 MB' })),
      /'types'/,
    )
    assert.match(
      faultOf(() => file({ types: ['*/*'], max: '1 MiB' })),
      /'max' must be a size such as '1 MB', at most/,
    )
    assert.match(
      faultOf(() => file({ types: ['*/*'], max: '2 TB' })),
      /'max'/,
    )
  })

  test('a name that has another meaning below an item, in the client or for a form is refused', () => {
    const cover = file({ types: ['*/*'], max: '1 kB' }).optional()
    const faultsOf = (name: string, logic?: object) => {
      const tasks = resource({ title: text(), [name]: cover }, { access: { read: anyone, update: anyone } })
      return faultsIn(service({ title: 'T', resources: { tasks } }, logic as never))
    }
    assert.match(
      faultsOf('history'),
      /The file 'history': This name is reserved: it is a path of the service/,
    )
    assert.match(faultsOf('version'), /The file 'version': This name is reserved: the client has a method/)
    const actions = (name: string) => ({
      tasks: { actions: { [name]: action({ by: anyone, run: () => undefined }) } },
    })
    assert.match(faultsOf('cover', actions('cover')), /Action 'cover': tasks has a field of this name/)
    assert.match(
      faultsOf('cover', actions('upload-cover')),
      /Its form 'upload-cover' has the name of an action/,
    )
    const inverse = ref('tasks', { inverse: 'cover' })
    const notes = resource({ task: inverse }, { access: { read: anyone } })
    const tasks = resource({ title: text(), cover }, { access: { read: anyone } })
    assert.match(
      faultsIn(service({ title: 'T', resources: { tasks, notes } })),
      /The inverse 'cover': tasks has a field of this name/,
    )
  })
})
