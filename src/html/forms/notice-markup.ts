/** The notice of the last form, at the top of the page. */

import type { Model } from '../../definition/model.ts'
import type { PageLayout } from '../loading/page-layout.ts'
import { formatCount } from '../markup/collection-nouns.ts'
import { formatLabel } from '../markup/field-label.ts'
import { html, type Markup } from '../markup/markup.ts'
import { phrase, translated } from '../page-language.ts'
import type { Notice } from './notice-view.ts'

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
