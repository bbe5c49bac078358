/** The pictures of the documentation: the files are those that `npm run screenshots` makes, and each is used. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { screenshotHeight, screenshots } from './browser/screenshot-list.ts'
import { type DocPage, linksOf, readPages, root } from './docs-pages.ts'

const folder = 'docs/screenshots'
const pages = readPages('*.md', 'docs/**/*.md', 'examples/**/*.md')

test('the folder has the pictures of the list, and no others', () => {
  const files = readdirSync(join(root, folder)).filter((file) => file !== 'README.md')
  assert.deepEqual(files.toSorted(), screenshots.map(({ file }) => file).toSorted())
})

test('each picture is a complete PNG of its width and height', () => {
  for (const { file, width } of screenshots) {
    const size = sizeOf(readFileSync(join(root, folder, file)))
    assert.deepEqual(size, { width, height: screenshotHeight }, file)
  }
})

test('a cut or changed picture, and one that is no PNG, are found', () => {
  const picture = readFileSync(join(root, folder, 'home-light-375.png'))
  assert.throws(() => sizeOf(picture.subarray(0, -20)), /ends early/)
  const changed = Buffer.from(picture)
  changed.writeUInt32BE(400, 16)
  assert.throws(() => sizeOf(changed), /IHDR is damaged/)
  assert.throws(() => sizeOf(Buffer.from('GIF89a')), /is no PNG/)
})

test('a document shows or links each picture', () => {
  const used = new Set(pages.flatMap(linkedFiles))
  const unused = screenshots.map(({ file }) => `${folder}/${file}`).filter((file) => !used.has(file))
  assert.deepEqual(unused, [])
})

test('each picture that a document shows has a text alternative', () => {
  const images = pages.flatMap(imagesOf)
  assert.ok(images.some(({ source }) => source.includes('screenshots/')))
  const silent = images.filter(({ alternative }) => alternative.trim().length < 10)
  assert.deepEqual(silent, [])
  const planted = {
    path: 'planted.md',
    text: '![](a.png) <img src="b.png">\n```html\n<img src="c.png">\n```\n',
  }
  assert.deepEqual(
    imagesOf(planted).map(({ source, alternative }) => source + alternative),
    ['a.png', 'b.png'],
  )
})

function linkedFiles(page: DocPage): readonly string[] {
  return linksOf(page).map((link) => join(dirname(page.path), link))
}

function imagesOf({ path, text }: DocPage) {
  const prose = text.replaceAll(/^\s*```.*?^\s*```$/gms, '').replaceAll(/`[^`\n]*`/g, '')
  const marked = [...prose.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)]
  const tags = [...prose.matchAll(/<img\b[^>]*>/g)]
  return [
    ...marked.map(([, alternative = '', source = '']) => ({ path, source, alternative })),
    ...tags.map(([tag]) => ({ path, source: attribute(tag, 'src'), alternative: attribute(tag, 'alt') })),
  ]
}

function attribute(tag: string, name: string): string {
  return tag.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1] ?? ''
}

/** Width and height of a PNG; throws where its chunks are not complete up to the last, or damaged. */
function sizeOf(png: Buffer): { readonly width: number; readonly height: number } {
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  assert.ok(png.subarray(0, 8).equals(signature), 'The file is no PNG.')
  let name = ''
  for (let at = 8; name !== 'IEND'; ) {
    const length = at + 8 <= png.length ? png.readUInt32BE(at) : Infinity
    const end = at + 8 + length
    assert.ok(end + 4 <= png.length, 'The file ends early.')
    name = png.toString('latin1', at + 4, at + 8)
    assert.equal(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)), `${name} is damaged.`)
    at = end + 4
  }
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) }
}
