/** Every suite, by criterion. A criterion that is not here is `not-run: no_suite` in a verdict. */
import type { CaseLab } from '../src/harness/run/case-lab.js';
import type { Suite } from '../src/harness/suite.js';
import { suite as prf01 } from './profile/prf-01.js';
import { suite as prf03 } from './profile/prf-03.js';
import { suite as prf04 } from './profile/prf-04.js';
import { suite as prf09 } from './profile/prf-09.js';
import { suite as prf11 } from './profile/prf-11.js';
import { suite as prf12 } from './profile/prf-12.js';
import { suite as prf13 } from './profile/prf-13.js';
import { suite as prf15 } from './profile/prf-15.js';
import { suite as prf20 } from './profile/prf-20.js';
import { suite as prf21 } from './profile/prf-21.js';
import { suite as prf22 } from './profile/prf-22.js';
import { suite as prf25 } from './profile/prf-25.js';
import { suite as prf26 } from './profile/prf-26.js';
import { suite as prf27 } from './profile/prf-27.js';
import { suite as prf29 } from './profile/prf-29.js';
import { suite as rly02 } from './relay/rly-02.js';
import { suite as rly10 } from './relay/rly-10.js';
import { suite as rly11 } from './relay/rly-11.js';
import { suite as rly12 } from './relay/rly-12.js';
import { suite as rly13 } from './relay/rly-13.js';
import { suite as rly14 } from './relay/rly-14.js';
import { suite as rpl01 } from './replay/rpl-01.js';
import { suite as rpl02 } from './replay/rpl-02.js';
import { suite as rpl03 } from './replay/rpl-03.js';
import { suite as rpl04 } from './replay/rpl-04.js';
import { suite as rpl05 } from './replay/rpl-05.js';
import { suite as rpl06 } from './replay/rpl-06.js';
import { suite as rpl07 } from './replay/rpl-07.js';
import { suite as rpl08 } from './replay/rpl-08.js';
import { suite as rpl09 } from './replay/rpl-09.js';
import { suite as rpl10 } from './replay/rpl-10.js';
import { suite as rpl11 } from './replay/rpl-11.js';
import { suite as rpl12 } from './replay/rpl-12.js';
import { suite as rpl13 } from './replay/rpl-13.js';
import { suite as rpl14 } from './replay/rpl-14.js';
import { suite as rpl15 } from './replay/rpl-15.js';
import { suite as rpl16 } from './replay/rpl-16.js';
import { suite as rpl17 } from './replay/rpl-17.js';
import { suite as rpl18 } from './replay/rpl-18.js';
import { suite as rpl19 } from './replay/rpl-19.js';
import { suite as rpl20 } from './replay/rpl-20.js';

export const suites: readonly Suite<CaseLab>[] = [
  rpl01,
  rpl02,
  rpl03,
  rpl04,
  rpl05,
  rpl06,
  rpl07,
  rpl08,
  rpl09,
  rpl10,
  rpl11,
  rpl12,
  rpl13,
  rpl14,
  rpl15,
  rpl16,
  rpl17,
  rpl18,
  rpl19,
  rpl20,
  rly02,
  rly10,
  rly11,
  rly12,
  rly13,
  rly14,
  prf01,
  prf03,
  prf04,
  prf09,
  prf11,
  prf12,
  prf13,
  prf15,
  prf20,
  prf21,
  prf22,
  prf25,
  prf26,
  prf27,
  prf29,
];
