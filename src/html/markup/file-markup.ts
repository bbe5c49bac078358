/** A file on a page: its name as a link, its size, and a preview of images, audio and video. */

import type { FileValue } from '../../definition/field.ts'
import { previewElementOf } from '../../http/served-type.ts'
import { formatNumber } from '../page-language.ts'
import { escapeText } from './markup.ts'

export function fileMarkup(file: FileValue, { preview }: { readonly preview: 'none' | 'full' }): string {
  const href = escapeText(file.href)
  const name = escapeText(file.name)
  const link = `<a href="${href}" type="${escapeText(file.type)}">${name}</a> <small>${formatSize(file.size)}</small>`
  const shown = preview === 'full' ? previewMarkup(file, href, name) : ''
  return shown === '' ? link : `<figure class="file">${shown}<figcaption>${link}</figcaption></figure>`
}

function previewMarkup({ type }: FileValue, href: string, name: string): string {
  switch (previewElementOf(type)) {
    case 'img':
      return `<img src="${href}" alt="${name}" loading="lazy">`
    case 'audio':
      return `<audio src="${href}" controls preload="none" aria-label="${name}"></audio>`
    case 'video':
      return `<video src="${href}" controls preload="metadata" aria-label="${name}"></video>`
    default:
      return ''
  }
}

/** In the unit that leaves one to three digits before the point. */
export function formatSize(octets: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const at = Math.min(Math.floor(Math.log10(Math.max(octets, 1)) / 3), units.length - 1)
  const shown = octets / 1000 ** at
  return `${formatNumber(at === 0 || shown >= 100 ? Math.round(shown) : Number(shown.toFixed(1)))} ${units[at]}`
}
