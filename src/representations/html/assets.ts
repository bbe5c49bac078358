/**
 * The stylesheet, script and icon of HTML pages. Their names contain a digest of the content, so
 * that clients can cache them forever.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeFolder, isBuilt, packageFolder, sourceFolder } from '../../package-paths.ts'

export interface Asset {
  /** The last segment of its URI, which contains the digest. */
  readonly name: string
  readonly mediaType: string
  readonly content: Uint8Array
  /** The opaque part of its entity tag. */
  readonly tag: string
}

const mediaTypes = {
  css: 'text/css',
  js: 'text/javascript',
  svg: 'image/svg+xml',
} as const

export const stylesheet = readAsset('style', 'css')
export const script = readAsset('script', 'js')
export const icon = readAsset('icon', 'svg')

const byName = new Map([stylesheet, script, icon].map((asset) => [asset.name, asset]))

export function findAsset(name: string): Asset | undefined {
  return byName.get(name)
}

/** A digest of the templates and assets. Entity tags include it, because it changes the HTML. */
export const htmlEdition = createHash('sha256')
  .update([stylesheet.tag, script.tag, icon.tag, ...templateTexts()].join())
  .digest('base64url')
  .slice(0, 12)

/** The source of the templates, or the names of the built files, which contain digests. */
function templateTexts(): readonly string[] {
  if (isBuilt) return readdirSync(codeFolder).sort()
  const folder = join(sourceFolder, 'representations/html')
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

function readAsset(name: string, extension: keyof typeof mediaTypes): Asset {
  const content = readFileSync(join(packageFolder, 'assets', `${name}.${extension}`))
  const tag = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const mediaType = mediaTypes[extension]
  return { name: `${name}.${tag}.${extension}`, mediaType, content, tag }
}
