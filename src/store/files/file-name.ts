/** Names of files: safe to show, to send in a field and to store on any disk. */

/** In octets of UTF-8, as file systems count. */
const maxNameOctets = 255

/**
 * The name without a path (RFC 6266 §4.3), control characters and characters that change the direction
 * of text. A name that has nothing else becomes that of the field, with the extension of the type.
 */
export function cleanFileName(name: string | undefined, fallback: FallbackName): string {
  const last = (name ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const shown = last.replace(unsafe, '').normalize('NFC').trim()
  return shown === '' || /^\.+$/.test(shown) ? defaultName(fallback) : shorten(shown)
}

export interface FallbackName {
  readonly field: string
  readonly type: string
}

const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu

function defaultName({ field, type }: FallbackName): string {
  const [essence = ''] = type.split(';')
  const extension = extensions[essence]
  return extension === undefined ? field : `${field}.${extension}`
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/markdown': 'md',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

/** Keeps the extension. */
function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxNameOctets) return name
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= 20 ? name.slice(dot) : ''
  let stem = ''
  for (const character of name.slice(0, name.length - extension.length)) {
    if (Buffer.byteLength(stem + character + extension) > maxNameOctets) break
    stem += character
  }
  return stem + extension
}
