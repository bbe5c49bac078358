/** Lists of files of the tracker, resumable uploads, and forms that send files. */

import { createHash } from 'node:crypto'
import { openTracker } from '../worlds.ts'
import type { Section } from './sections.ts'

const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from('0123456789'.repeat(10)),
])
const digestOf = (content: string | Buffer) =>
  `sha-256=:${createHash('sha256').update(content).digest('base64')}:`

function partsOf(
  parts: readonly (readonly [name: string, content: string | Buffer, file?: string, type?: string])[],
): Buffer {
  const encoded = parts.map(([name, content, file, type]) => {
    const filename = file === undefined ? '' : `; filename="${file}"`
    const typed = type ? `\r\nContent-Type: ${type}` : ''
    return Buffer.concat([
      Buffer.from(`--b\r\nContent-Disposition: form-data; name="${name}"${filename}${typed}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ])
  })
  return Buffer.concat([...encoded, Buffer.from('--b--\r\n')])
}

const multipart = { 'content-type': 'multipart/form-data; boundary=b' }

export const trackerFiles: Section = {
  name: 'tracker-files',
  open: openTracker,
  async play(p) {
    const [rocket, engine] = [p.id('projects'), p.id('tasks')]
    const list = `/tasks/${engine}/attachments`
    const member = { as: 'member' }
    const text = { ...member, 'content-type': 'text/plain; charset=utf-8' }
    for (const as of [undefined, 'viewer', 'other', 'manager', 'member']) {
      await p.send(
        `POST ${list}`,
        {
          ...(as ? { as } : {}),
          'content-type': 'text/plain',
          'content-disposition': 'attachment; filename="a.txt"',
        },
        `By ${as}`,
      )
    }
    const first = String(
      (
        await p.send(
          `POST ${list}`,
          {
            ...text,
            'content-disposition': `attachment; filename="../c:\\\\b.txt"; filename*=UTF-8''%C3%A4.txt`,
          },
          'The first file',
        )
      ).fields.location,
    )
    await p.send(`POST ${list}`, { ...member, 'content-type': 'image/png' }, png)
    for (const [fields, content] of [
      [{ 'content-type': 'image/png' }, 'not an image'],
      [{ 'content-type': 'application/zip' }, 'x'],
      [{}, 'x'],
      [{ 'content-type': 'text/plain', 'content-digest': digestOf('other') }, 'x'],
      [{ 'content-type': 'text/plain', 'content-digest': digestOf('x') }, 'x'],
      [{ 'content-type': 'text/plain', 'content-encoding': 'gzip' }, 'x'],
      [{ 'content-type': 'text/plain', 'content-range': 'bytes 0-0/1' }, 'x'],
      [{ 'content-type': 'text/plain', 'if-match': '"a"' }, 'x'],
      [{ 'content-type': 'text/plain', 'idempotency-key': '"f"' }, 'once'],
      [{ 'content-type': 'text/plain', 'idempotency-key': '"f"' }, 'once'],
    ] as const) {
      await p.send(`POST ${list}`, { ...member, ...fields }, content)
    }
    for (const fields of [
      {},
      { accept: 'text/html' },
      { range: 'bytes=4-8' },
      { range: 'bytes=-4' },
      { range: 'bytes=100-' },
      { range: 'bytes=0-1,3-4' },
      { range: 'lines=1-2' },
      { 'accept-encoding': 'gzip' },
    ]) {
      await p.send(`GET ${first}`, { ...member, ...fields })
      await p.send(`HEAD ${first}`, { ...member, ...fields })
    }
    const { fields } = await p.send(`GET ${first}`, member)
    const tag = fields.etag!
    await p.send(`GET ${first}`, { ...member, 'if-none-match': tag })
    await p.send(`GET ${first}`, { ...member, range: 'bytes=0-2', 'if-range': tag })
    await p.send(`GET ${first}`, { ...member, range: 'bytes=0-2', 'if-range': '"a"' })
    await p.send(`GET ${first}`, { ...member, 'if-modified-since': fields['last-modified']! })
    for (const as of [undefined, 'viewer', 'other']) await p.send(`GET ${first}`, as ? { as } : {})
    await p.send(`PUT ${first}`, { ...text, 'if-match': '"a"' }, 'Replaced')
    await p.send(`PUT ${first}`, { ...text, 'if-match': tag }, 'Replaced')
    await p.send(`PUT ${first}`, text, 'Replaced')
    await p.send(`PUT ${list}/01900000-0000-7000-8000-000000000000`, text, 'None')
    await p.send(
      `PUT ${first}`,
      { ...member, ...multipart },
      partsOf([['attachments', 'From a form', 'form.txt', 'text/plain']]),
    )
    await p.send(
      `POST ${list}`,
      { ...member, ...multipart },
      partsOf([
        ['attachments', 'One', 'one.txt', 'text/plain'],
        ['attachments', 'Two', 'two.txt', 'text/plain'],
      ]),
    )
    await p.send(
      `POST ${list}`,
      { ...member, ...multipart },
      partsOf([
        ['attachments', 'One', 'one.txt', 'text/plain'],
        ['attachments', 'x', 'two.png', 'image/png'],
      ]),
    )
    for (const format of ['json', 'hal-forms', 'xml', 'html'])
      await p.send(`GET /tasks/${engine}?format=${format}`, member)
    const attachments = (await p.send(`GET /tasks/${engine}`, member)).json.attachments as { href: string }[]
    await p.send(`PATCH /tasks/${engine}`, member, { attachments: attachments.slice(0, 2).reverse() })
    await p.send(`PATCH /tasks/${engine}`, member, { attachments: [{ href: '/tasks/x' }] })
    await p.send('POST /tasks', member, {
      title: 'Copied',
      project: rocket,
      attachments: attachments.slice(0, 1),
    })
    await p.send(
      'POST /tasks',
      { ...member, ...multipart },
      partsOf([
        ['title', 'With files'],
        ['project', rocket],
        ['attachments', 'In the form', 'in.txt', 'text/plain'],
      ]),
    )
    await p.send(
      'POST /tasks',
      { ...member, ...multipart, accept: 'text/html' },
      partsOf([
        ['title', ''],
        ['project', rocket],
        ['attachments', 'x', 'in.png', 'image/png'],
      ]),
    )
    await p.send(
      `POST /forms${list}`,
      { ...member, ...multipart, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      partsOf([['attachments', 'By page', 'page.txt', 'text/plain']]),
    )
    await p.send(
      `POST /forms${list}`,
      { ...member, ...multipart, accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      partsOf([['attachments', '', '']]),
    )
    for (const path of [list, first, `/forms${list}`, `/forms${first}`]) {
      for (const method of ['OPTIONS', 'GET', 'PATCH'])
        await p.send(`${method} ${path}`, { ...member, accept: 'text/html' })
    }
    await p.send(
      `POST /forms${first}?method=DELETE`,
      { ...member, accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
      '',
    )
    await p.send(`DELETE ${attachments[0]!.href}`, { as: 'viewer' })
    await p.send(`DELETE ${attachments[0]!.href}`, member)
    await p.send(`DELETE ${attachments[0]!.href}`, member)

    const resumable = { 'upload-draft-interop-version': '8' }
    const whole = 'A file in three parts'
    const begun = await p.send(
      `POST ${list}`,
      { ...text, ...resumable, 'upload-complete': '?0', 'upload-length': String(whole.length) },
      whole.slice(0, 7),
    )
    const upload = String(begun.fields.location)
    const partial = { ...member, ...resumable, 'content-type': 'application/partial-upload' }
    await p.send(`OPTIONS ${upload}`)
    for (const as of [undefined, 'other', 'member'])
      await p.send(`HEAD ${upload}`, { ...resumable, ...(as ? { as } : {}) })
    await p.send(
      `PATCH ${upload}`,
      { ...partial, 'upload-offset': '3', 'upload-complete': '?0' },
      whole.slice(3, 9),
    )
    await p.send(
      `PATCH ${upload}`,
      { ...partial, 'upload-offset': '7', 'upload-complete': '?0' },
      whole.slice(7, 12),
    )
    await p.send(
      `PATCH ${upload}`,
      { ...partial, 'upload-offset': '12', 'upload-complete': '?1', 'upload-length': '5' },
      whole.slice(12),
    )
    await p.send(
      `PATCH ${upload}`,
      { ...partial, 'content-type': 'text/plain', 'upload-offset': '12', 'upload-complete': '?1' },
      whole.slice(12),
    )
    await p.send(`HEAD ${upload}`, { ...member, ...resumable })
    const done = await p.send(
      `PATCH ${upload}`,
      { ...partial, 'upload-offset': '12', 'upload-complete': '?1' },
      whole.slice(12),
    )
    await p.send(`GET ${done.fields.location}`, member)
    await p.send(`PATCH ${upload}`, { ...partial, 'upload-offset': '21', 'upload-complete': '?1' }, '')
    await p.send(`HEAD ${upload}`, { ...member, ...resumable })
    await p.send(`POST ${list}`, { ...text, 'upload-complete': '?0' }, 'x')
    await p.send(`POST ${list}`, { ...text, ...resumable, 'upload-complete': '?1' }, 'Whole at once')
    const given = String(
      (await p.send(`POST ${list}`, { ...text, ...resumable, 'upload-complete': '?0' }, 'x')).fields.location,
    )
    await p.send(`DELETE ${given}`, { as: 'other' })
    await p.send(`DELETE ${given}`, member)
    await p.send(`HEAD ${given}`, { ...member, ...resumable })
    await p.send('HEAD /uploads/nothing')
    await p.send(`GET /tasks/${engine}/history?format=json`, member)
  },
}
