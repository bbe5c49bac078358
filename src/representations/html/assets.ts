/**
 * What pages need besides themselves: the stylesheet, the script, the icon. Each is served under a
 * name that changes with its content, so that whoever has it never asks again.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeFolder, isBuilt, packageFolder, sourceFolder } from '../../package-paths.ts'

export interface Asset {
  /** Its name with the digest in it, as its URI ends. */
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

/**
 * Of the templates and assets together: pages made by another edition differ in their octets, so
 * their entity tags must too.
 */
export const htmlEdition = createHash('sha256')
  .update([stylesheet.tag, script.tag, icon.tag, ...templateTexts()].join())
  .digest('base64url')
  .slice(0, 12)

/** Texts that differ where they do; what was built has a digest of its content in its name. */
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
