/** How browsers get content of each media type: shown inline, or as a download. */

import { parseMediaType } from './media-type.ts'

export interface ServedType {
  /** The value of Content-Type. */
  readonly contentType: string
  readonly disposition: 'inline' | 'attachment'
  /** Whether browsers need scripts and plug-ins of their own to show it. */
  readonly isPdf: boolean
}

const images: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
])

/** Texts that browsers interpret. They are downloaded, like every type that is not named here. */
const activeTexts: ReadonlySet<string> = new Set([
  'text/html',
  'text/xml',
  'text/xsl',
  'text/cache-manifest',
  'text/vtt',
])

/**
 * Scripts are plain text, like those of `text/javascript`: a page of this origin could otherwise load a
 * stored file as a script, which its policy allows.
 */
const scripts: ReadonlySet<string> = new Set([
  'application/javascript',
  'application/ecmascript',
  'application/x-javascript',
  'application/x-ecmascript',
])

/** Only content that cannot run code is shown inline; other text is sent as plain text. */
export function servedTypeOf(type: string): ServedType {
  const parsed = parseMediaType(type)
  const essence = parsed?.essence ?? ''
  const isPdf = essence === 'application/pdf'
  const isText = scripts.has(essence) || (parsed?.type === 'text' && !activeTexts.has(essence))
  if (isText) {
    const charset = parsed?.parameters.get('charset') ?? 'utf-8'
    return { contentType: `text/plain; charset=${charset}`, disposition: 'inline', isPdf }
  }
  const isShown = isPdf || images.has(essence) || parsed?.type === 'audio' || parsed?.type === 'video'
  return { contentType: type, disposition: isShown ? 'inline' : 'attachment', isPdf }
}

/**
 * How browsers get a file that code of the definition made. It has the type that the definition declares; no text but a
 * plain one is shown inline.
 */
export function madeTypeOf(type: string): ServedType {
  const parsed = parseMediaType(type)
  const served = servedTypeOf(type)
  if (parsed?.type !== 'text' || parsed.essence === 'text/plain') return served
  const charset = parsed.parameters.has('charset') ? '' : '; charset=utf-8'
  return { contentType: type + charset, disposition: 'attachment', isPdf: false }
}

/** Whether pages can load content of the type as a script. */
export function isScriptType(type: string): boolean {
  return scripts.has(type) || /^text\/(?:x-)?(?:java|ecma|j|live)script/.test(type)
}

/** The element that shows the content on a page; undefined where a link must do. */
export function previewElementOf(type: string): 'img' | 'audio' | 'video' | undefined {
  if (images.has(type)) return 'img'
  if (type.startsWith('audio/')) return 'audio'
  return type.startsWith('video/') ? 'video' : undefined
}
