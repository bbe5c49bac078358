/** The notice of the last form, at the top of the page. */

import type { Model } from '../../definition/model.ts'
import type { Notice } from '../../view/notice.ts'
import type { PageLayout } from '../../view/page-layout.ts'
import { formatCount } from './collection-nouns.ts'
import { formatLabel } from './field-label.ts'
import { html, type Markup } from './markup.ts'
import { phrase, translated } from './page-language.ts'

export function noticeMarkup({ model }: PageLayout, notice: Notice): Markup {
  return html`<p class="note" role="status" data-notice="${notice.kind}">${noticeText(model, notice)}</p>\n`
}

function noticeText({ resources }: Model, notice: Notice): string {
  switch (notice.kind) {
    case 'done':
      return phrase`“${formatLabel(notice.action)}” is done.`
    case 'imported': {
      const resource = resources.get(notice.collection)
      return resource ? phrase`${formatCount(resource, notice.count)} imported.` : ''
    }
    default:
      return translated(texts[notice.kind])
  }
}

const texts: Readonly<Record<Exclude<Notice['kind'], 'done' | 'imported'>, string>> = {
  created: 'Created.',
  saved: 'Saved.',
  merged: 'Saved. Other fields of this item changed in the meantime; both edits are kept.',
  deleted: 'Deleted.',
  'signed-up': 'Your account is ready. Sign in.',
}
