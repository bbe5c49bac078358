/** Every kind of field of the studio, keys, tombstones, required conditions, exclusive states, hooks and checks. */

import { openStudio } from '../worlds.ts'
import type { Section } from './sections.ts'
import { formats } from './shop-formats.ts'

const values: Readonly<Record<string, readonly unknown[]>> = {
  code: ['AA1', 'aa1', 'AB1', '', null],
  name: ['Second', '', 'x'.repeat(21)],
  mail: ['A@Example.org', 'x', ''],
  site: ['https://example.org/a?b', 'ftp://example.org', 'x'],
  mark: ['01900000-0000-7000-8000-000000000000', 'x'],
  size: [5, 6, -6, 1.5, '1', null],
  weight: [0.1, 1e1, 11, '1'],
  price: ['1.50', '1.5', '100.00', 1],
  live: [false, 'false', 1],
  day: ['2026-02-28', '2026-02-30', '2026-2-1'],
  moment: ['2026-11-02T10:00:00+01:00', '2026-11-02T10:00:00', '2026-11-02'],
  colour: ['red', 'blue'],
  tags: [['a', 'b'], ['a', 'a'], ['a', 'b', 'c', 'd'], ['toolong'], 'a'],
  data: [{ a: 1 }, { a: 'x' }, null, [1]],
  secret: ['hidden', 1],
  note: ['x'],
  serial: [2, 100],
  stage: ['new', 'used'],
  size2: [1],
  parts: [[], ['x'], 'x'],
}

export const studioValues: Section = {
  name: 'studio-values',
  open: openStudio,
  onPostgres: true,
  async play(p) {
    const ann = { as: 'ann' }
    let number = 10
    for (const [field, all] of Object.entries(values)) {
      for (const value of all) {
        number += 1
        await p.send('POST /things', ann, { code: `ZZ${number}`, name: `Thing ${number}`, [field]: value })
      }
    }
    const wheel = p.id('parts')
    const whole = {
      code: 'WH1',
      name: 'Whole',
      mail: 'a@b.org',
      site: 'https://a.b',
      size: 1,
      weight: 1.5,
      price: '9.90',
      live: false,
      day: '2026-01-01',
      moment: '2026-01-01T00:00:00Z',
      colour: 'green',
      tags: ['x'],
      data: { b: [null] },
      secret: 's',
      serial: 7,
      parts: [wheel],
    }
    await p.send('PUT /things/WH1', ann, whole)
    await p.send('PUT /things/WH1', ann, whole)
    await p.send('PUT /things/WH1', { ...ann, 'if-none-match': '*' }, whole)
    await p.send('PUT /things/WH2', { ...ann, 'if-none-match': '*' }, { ...whole, code: 'WH2' })
    await p.send('PUT /things/WH3', { ...ann, 'if-match': '*' }, { ...whole, code: 'WH3', name: 'Third' })
    await p.send('PUT /things/wh3', ann, whole)
    for (const as of [undefined, 'ann', 'admin']) {
      for (const format of formats) await p.send(`GET /things/WH1?format=${format}`, as ? { as } : {})
    }
    for (const format of formats) await p.send(`GET /things?limit=2&format=${format}`)
    await p.send('GET /things?fields=size2&size=1')
    await p.send('GET /things?embed=parts&limit=1', ann)
    for (const query of [
      'secret=s',
      'note=x',
      'weight[gt]=1',
      'moment[lt]=2026-02-01T00:00:00Z',
      'live=false',
      'colour[missing]=true',
      'data[missing]=true',
      'aggregate=weight.sum,weight.avg,size.sum,price.avg',
      'group-by=colour,moment.year&aggregate=count',
      'q=who',
      'sort=-weight,code&fields=weight',
      'failing=x',
      'fields=failing',
    ]) {
      const path = /aggregate=/.test(query) ? '/things/-/aggregate' : '/things'
      await p.send(`GET ${path}?${query}`)
    }
    for (const [body, as] of [
      [{ stage: 'claimed' }, 'ann'],
      [{ stage: 'claimed' }, 'bob'],
      [{ stage: 'used' }, 'ann'],
      [{ stage: 'used', day: null }, 'ann'],
      [{ stage: 'new' }, 'ann'],
      [{ stage: 'new' }, 'admin'],
      [{ serial: 8 }, 'ann'],
      [{ serial: 7 }, 'ann'],
      [{ note: 'Seen' }, 'ann'],
      [{ note: 'Seen' }, 'admin'],
      [{ name: 'Failing' }, 'ann'],
      [{ name: 'Whole' }, 'ann'],
    ] as const) {
      await p.send('PATCH /things/WH1', { as }, body)
    }
    await p.send('GET /things/WH1', { as: 'admin' })
    await p.send('GET /stuff')
    await p.send('GET /stuff/WH1?fields=name')
    await p.send('POST /stuff', ann, {})
    await p.send('GET /things/')

    const part = `/parts/${wheel}`
    const tag = (await p.send(`GET ${part}`)).fields.etag!
    await p.send(`PATCH ${part}`, ann, { label: 'Tyre' })
    await p.send(`PATCH ${part}`, { ...ann, 'if-match': tag }, { label: 'Tyre' })
    await p.send(`PATCH ${part}`, { ...ann, 'if-match': tag }, { label: 'Rim' })
    await p.send(`PUT ${part}`, ann, { label: 'Rim' })
    await p.send(`DELETE ${part}`, ann)
    await p.send(`DELETE ${part}`, { ...ann, 'if-match': '*' })
    await p.send(`GET ${part}/drawings`)
    await p.send(`DELETE /drawings/${p.id('drawings')}`, ann)
    await p.send(`PATCH /things/WH1`, ann, { parts: [] })
    await p.send(`GET /forms${part}`, { ...ann, accept: 'text/html', 'sec-fetch-site': 'same-origin' })
    await p.send(`GET ${part}`, { ...ann, accept: 'text/html' })
    await p.send('DELETE /things/WH1', ann)
    for (const as of [undefined, 'ann'] as const) {
      for (const line of [
        'GET /things/WH1',
        'GET /things/WH1?format=html',
        'DELETE /things/WH1',
        'PATCH /things/WH1',
      ])
        await p.send(line, as ? { as } : {})
    }
    await p.send('PUT /things/WH1', ann, { ...whole, parts: [] })
    await p.send('GET /things/WH1')

    for (const title of ['refused', 'forbidden', 'busy', 'failing', 'SHOUTED', 'with a part']) {
      await p.send('POST /drawings', ann, { title, first: 'Ann' })
      await p.send('POST /drawings?dry-run=true', ann, { title, first: 'Ann' })
    }
    await p.send(
      'POST /drawings',
      { ...ann, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      'title=refused&first=Ann',
    )
    await p.send('POST /drawings', ann, [
      { title: 'one', first: 'A' },
      { title: 'refused', first: 'A' },
    ])
    await p.send('GET /parts')
    const drawing = `/drawings/${p.id('drawings')}`
    for (const as of [undefined, 'ann'])
      await p.send(`POST ${drawing}/copy`, as ? { as } : {}, { title: 'Copied' })
    await p.send(`POST ${drawing}/copy`, ann)
    await p.send(`POST ${drawing}/copy`, ann, { title: 'LOUD' })
    await p.send(`POST ${drawing}/copy`, { ...ann, prefer: 'return=minimal' }, {})
    for (const as of [undefined, 'ann', 'admin']) await p.send('POST /drawings/tidy', as ? { as } : {})
    await p.send('POST /drawings/tidy', { as: 'admin', 'if-match': '*' })
    await p.send('GET /drawings/tidy')
    await p.send('GET /drawings')

    const old = { ...ann, 'content-type': 'application/x.studio.v1+json' }
    for (const body of [
      { title: 'Old', by: 'Max Born', deadline: '2026-12-24' },
      { title: 'Old', by: 'Max' },
      { title: 'Old' },
      { title: 'Old', first: 'Max' },
      { title: 'LOUD', by: 'Max' },
    ]) {
      await p.send('POST /drawings', old, JSON.stringify(body))
    }
    for (const line of [
      drawing,
      '/drawings',
      `${drawing}/history`,
      '/events',
      '/drawings?deadline=2026-12-01',
      '/drawings?by=x',
      '/drawings?fields=by',
    ]) {
      await p.send(`GET ${line}${line.includes('?') ? '&' : '?'}api-version=v1`)
    }
    await p.send(`PATCH ${drawing}?api-version=v1`, ann, { by: 'Ann Other' })
    await p.send(`PATCH ${drawing}?api-version=v1`, ann, { by: 7 })
    await p.send(`PUT ${drawing}?api-version=v1`, ann, { title: 'Put', by: 'Ann' })
    await p.send(`GET ${drawing}`)
    await p.send('GET /schemas/drawings?api-version=v1', ann)
    await p.send('GET /.well-known/security.txt')
    for (const path of ['/', '/things', '/forms/things', drawing])
      await p.send(`GET ${path}`, { ...ann, accept: 'text/html', 'accept-language': 'fr' })
  },
}
