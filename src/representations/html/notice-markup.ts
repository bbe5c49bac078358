/** The notice of the last form, at the top of the page. */

import type { Notice } from '../../view/notice.ts'
import { formatLabel } from './field-label.ts'
import { html, type Markup } from './markup.ts'
import { phrase, translated } from './page-language.ts'

export function noticeMarkup(notice: Notice): Markup {
  const text =
    notice.kind === 'done' ? phrase`“${formatLabel(notice.action)}” is done.` : translated(texts[notice.kind])
  return html`<p class="note" role="status" data-notice="${notice.kind}">${text}</p>\n`
}

const texts: Readonly<Record<Exclude<Notice['kind'], 'done'>, string>> = {
  created: 'Created.',
  saved: 'Saved.',
  merged: 'Saved. Other fields of this item changed in the meantime; both edits are kept.',
  deleted: 'Deleted.',
  'signed-up': 'Your account is ready. Sign in.',
}
