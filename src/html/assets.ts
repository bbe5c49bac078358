/**
 * The stylesheet, script and icon of HTML pages, each served as one file. Their names contain a digest of the content, so
 * that clients can cache them forever.
 */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../package-paths.ts'

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

/** The parts of the stylesheet, in the order in which later rules override earlier ones. */
const styleParts = 'base layout forms disclosures lists tables items problems media'.split(' ')

export const stylesheet = createAsset('style', 'css', joinFiles('style', 'css', styleParts))
export const script = createAsset('script', 'js', bundleScript())
export const icon = createAsset('icon', 'svg', readFileSync(join(assetFolder(), 'icon.svg'), 'utf8'))

/** The texts of the scripts, which pages in other languages translate. */
export const scriptTexts: readonly string[] = [
  ...new Set(
    new TextDecoder()
      .decode(script.content)
      .matchAll(/\bphrase\('([^']+)'/g)
      .map(([, text]) => String(text)),
  ),
]

const byName = new Map([stylesheet, script, icon].map((asset) => [asset.name, asset]))

export function findAsset(name: string): Asset | undefined {
  return byName.get(name)
}

/** One module of all scripts, so that a browser requests one file. `main` comes last: it calls the others. */
function bundleScript(): string {
  const names = readdirSync(join(assetFolder(), 'script')).map((file) => file.replace(/\.js$/, ''))
  const others = names.filter((name) => name !== 'main').sort()
  return joinFiles('script', 'js', [...others, 'main'])
    .replaceAll(/^import \{[^}]*\} from '\.\/[\w-]+\.js'\n/gm, '')
    .replaceAll(/^export (?=(async )?function |const )/gm, '')
}

function joinFiles(folder: string, extension: string, names: readonly string[]): string {
  return names
    .map((name) => readFileSync(join(assetFolder(), folder, `${name}.${extension}`), 'utf8'))
    .join('\n')
}

function assetFolder(): string {
  return join(packageFolder, 'assets')
}

function createAsset(name: string, extension: keyof typeof mediaTypes, text: string): Asset {
  const tag = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const mediaType = mediaTypes[extension]
  return { name: `${name}.${tag}.${extension}`, mediaType, content: Buffer.from(text), tag }
}
