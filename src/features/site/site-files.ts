/** The files of a site by their paths in URIs: found when the service starts, and again when one has changed. */

import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { type Refusal, unavailable } from '../../refusal.ts'
import { OperatorFault } from '../../tools/operator-fault.ts'
import type { SiteModel } from './site-model.ts'

export interface SiteFile {
  readonly contentType: string
  /** Whether a browser shows it as a page, for which it needs a policy. */
  readonly isPage: boolean
  /** Its own octets first, then those of the same content in other codings. */
  readonly versions: readonly [FileVersion, ...FileVersion[]]
}

/** One file on the disk. */
export interface FileVersion {
  readonly coding: 'identity' | 'br' | 'gzip'
  readonly file: string
  readonly size: number
  /** In milliseconds. */
  readonly modifiedAt: number
  /** The opaque part of its entity tag: the beginning of its digest. */
  readonly tag: string
}

export interface Site {
  find(path: string): SiteFile | undefined
  /**
   * Opens the octets; undefined where the file has changed since it was found. Then the files are found again. Refuses
   * 503 while that is not possible.
   */
  open(version: FileVersion): Promise<FileHandle | undefined>
}

/** Throws an OperatorFault where the folder or the fallback is missing. */
export async function openSite(model: SiteModel): Promise<Site> {
  let files = await findFiles(model)
  let finding: Promise<void> | undefined
  const findAgain = async () => {
    try {
      files = await findFiles(model)
    } catch (cause) {
      throw beingReplaced(cause)
    }
  }
  return {
    find: (path) => files.get(path),
    async open(version) {
      const handle = await openUnchanged(version)
      if (handle) return handle
      finding ??= findAgain().finally(() => {
        finding = undefined
      })
      await finding
      return undefined
    },
  }
}

/** Also where a part of a new build is still missing. */
export function beingReplaced(cause?: unknown): Refusal {
  return unavailable('The files of the site are being replaced.', cause)
}

/** Links are not followed: the folder is not left, whatever is in it. */
async function openUnchanged({ file, size, modifiedAt }: FileVersion): Promise<FileHandle | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(ignoreAbsence)
  if (!handle) return undefined
  const found = await handle.stat()
  if (found.size === size && found.mtimeMs === modifiedAt) return handle
  await handle.close()
  return undefined
}

/** A file that was deleted, or replaced by a link or a folder. */
function ignoreAbsence(error: NodeJS.ErrnoException): undefined {
  if (!['ENOENT', 'ELOOP', 'ENOTDIR'].includes(error.code ?? '')) throw error
}

async function findFiles({ folder, fallback }: SiteModel): Promise<ReadonlyMap<string, SiteFile>> {
  const root = await realpath(folder).catch((cause) => {
    const remedy = 'Build the front end first, or correct the option site.folder.'
    throw new OperatorFault(`The folder of the site, ${folder}, cannot be read. ${remedy}`, { cause })
  })
  const paths = (await listPaths(root, '')).toSorted()
  const known = new Set(paths)
  const files = new Map<string, SiteFile>()
  for (const path of paths) {
    const isCoded = codings.some(
      ({ suffix }) => path.endsWith(suffix) && known.has(path.slice(0, -suffix.length)),
    )
    if (!isCoded) files.set(path, await describeFile(root, path, known))
  }
  if (fallback === undefined || files.has(fallback)) return files
  throw new OperatorFault(
    `The folder of the site, ${folder}, has no file ${fallback.slice(1)}, its fallback.`,
  )
}

/** Best first. */
const codings = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const

/** The paths below a folder, without links and what begins with a dot. */
async function listPaths(root: string, path: string): Promise<readonly string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true })
  const found: string[] = []
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue
    const below = `${path}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await listPaths(root, below)))
    else if (entry.isFile()) found.push(below)
  }
  return found
}

async function describeFile(root: string, path: string, known: ReadonlySet<string>): Promise<SiteFile> {
  const extension = extname(path).slice(1).toLowerCase()
  const contentType = contentTypes.get(extension) ?? 'application/octet-stream'
  const coded: FileVersion[] = []
  for (const { coding, suffix } of codings) {
    if (known.has(path + suffix)) coded.push(await describeVersion(join(root, path + suffix), coding))
  }
  return {
    contentType,
    isPage: /^(?:text\/html|image\/svg\+xml|application\/xml)\b/.test(contentType),
    versions: [await describeVersion(join(root, path), 'identity'), ...coded],
  }
}

async function describeVersion(file: string, coding: FileVersion['coding']): Promise<FileVersion> {
  const { size, mtimeMs: modifiedAt } = await stat(file)
  const digest = createHash('sha256')
  for await (const part of createReadStream(file)) digest.update(part)
  return { coding, file, size, modifiedAt, tag: digest.digest('base64url').slice(0, 22) }
}

/** By the extension of the name. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['css', 'text/css; charset=utf-8'],
  ['gif', 'image/gif'],
  ['htm', 'text/html; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript; charset=utf-8'],
  ['json', 'application/json'],
  ['map', 'application/json'],
  ['mjs', 'text/javascript; charset=utf-8'],
  ['mp3', 'audio/mpeg'],
  ['mp4', 'video/mp4'],
  ['otf', 'font/otf'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['ttf', 'font/ttf'],
  ['txt', 'text/plain; charset=utf-8'],
  ['wasm', 'application/wasm'],
  ['webm', 'video/webm'],
  ['webmanifest', 'application/manifest+json'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
  ['xml', 'application/xml'],
])
