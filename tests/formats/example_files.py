"""One small network in every format, as a person would type it; `wet` has two parents of different sizes."""

from __future__ import annotations

import dconvex as dc
from dconvex.formats.registry import FORMATS

NETWORK = dc.BayesianNetwork.discrete(
    dc.Dag.from_parents({"season": (), "rain": ("season",), "wet": ("season", "rain")}),
    {
        "season": [0.5, 0.3, 0.2],
        "rain": [[0.9, 0.1], [0.6, 0.4], [0.25, 0.75]],
        "wet": [[[0.8, 0.2], [0.15, 0.85]], [[0.7, 0.3], [0.1, 0.9]], [[0.55, 0.45], [0.05, 0.95]]],
    },
    {"season": ["dry", "mild", "wet"], "rain": ["no", "yes"], "wet": ["no", "yes"]},
)
NUMBERED = dc.BayesianNetwork.discrete(
    dc.Dag.from_parents({0: (), 1: (0,), 2: (0, 1)}),
    {number: NETWORK.family(name).values for number, name in enumerate(["season", "rain", "wet"])},
    {0: [0, 1, 2], 1: [0, 1], 2: [0, 1]},
)

XMLBIF = """\
<?xml version="1.0"?>
<!-- DTD for the XMLBIF 0.3 format -->
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
    <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
  <!ELEMENT VARIABLE ( NAME, ( OUTCOME |  PROPERTY )* ) >
    <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>Weather</NAME>
<PROPERTY>by hand</PROPERTY>
<VARIABLE TYPE="nature">
  <NAME>season</NAME>
  <OUTCOME>dry</OUTCOME>
  <OUTCOME>mild</OUTCOME>
  <OUTCOME>wet</OUTCOME>
  <PROPERTY>position = (10, 20)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
  <NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME>
</VARIABLE>
<VARIABLE>
  <NAME> wet </NAME>
  <OUTCOME>no</OUTCOME>
  <OUTCOME>yes</OUTCOME>
</VARIABLE>
<DEFINITION>
  <FOR>season</FOR>
  <TABLE>0.5 0.3 0.2</TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>rain</FOR>
  <GIVEN>season</GIVEN>
  <TABLE>0.9 0.1 0.6 0.4 0.25 0.75</TABLE>
</DEFINITION>
<DEFINITION>
  <FOR>wet</FOR>
  <GIVEN>season</GIVEN>
  <GIVEN>rain</GIVEN>
  <TABLE>
    0.8 0.2 <!-- dry, no -->
    0.15 0.85
    0.7 0.3
    0.1 0.9
    0.55 0.45
    0.05 0.95
  </TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""

HUGIN = """\
% a comment; with "one quote
net
{
    node_size = (80 40);
    HR_Desc = "a 100% sure { description";
}
node season
{
    label = "The season; say \\"when\\"";
    position = (120 40);
    states = ("dry" "mild" "wet");
    HR_State_0 = "";
}
node rain
{
    states = (no yes);
}
discrete node wet
{
    states = ("no" "yes");
    subtype = label;
}
potential (season)
{
    data = ( 0.5 0.3 0.2 );
}
potential ( rain | season )
{
    data = (( 0.9  0.1 )    % season=dry
            ( 0.6  0.4 )    % season=mild
            ( 0.25 0.75 )); % season=wet
}
potential ( wet | season rain )
{
    experience = 10;
    data = (((0.8 0.2)(0.15 0.85))
            ((0.7 0.3)(0.1 0.9))
            ((0.55 0.45)(0.05 0.95)));
}
"""

UAI = """\
BAYES
3
3 2 2
3
1 0
2 0 1
3 0 1 2

3
 0.5 0.3 0.2

6
 0.9 0.1
 0.6 0.4
 0.25 0.75

12
 0.8 0.2
 0.15 0.85
 0.7 0.3
 0.1 0.9
 0.55 0.45
 0.05 0.95
"""

XDSL = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- This network was made in GeNIe -->
<smile version="1.0" id="Weather" numsamples="10000" discsamples="10000">
  <nodes>
    <cpt id="season" target="true">
      <state id="dry" fault="true" />
      <state id="mild" />
      <state id="wet" />
      <probabilities>0.5 0.3 0.2</probabilities>
    </cpt>
    <cpt id="rain">
      <state id="no" />
      <state id="yes" />
      <parents>season</parents>
      <probabilities>0.9 0.1 0.6 0.4 0.25 0.75</probabilities>
      <property id="source">a book</property>
    </cpt>
    <cpt id="wet">
      <state id="no" />
      <state id="yes" />
      <parents>season rain</parents>
      <probabilities>0.8 0.2 0.15 0.85 0.7 0.3 0.1 0.9 0.55 0.45 0.05 0.95</probabilities>
    </cpt>
  </nodes>
  <extensions>
    <genie version="1.0" app="GeNIe 4.0" name="Weather">
      <node id="season">
        <name>The season</name>
        <position>10 20 110 70</position>
      </node>
      <textbox><caption>made of &lt;nothing&gt;</caption></textbox>
    </genie>
  </extensions>
</smile>
"""

DSC = """\
belief network "weather"
properties { import "x"; }
node season {
  name : "the { season";
  type : discrete [ 3 ] = { "dry", "mild", "wet" };
  position : (10, 20);
}
node rain { type : discrete [2] = { no, yes } }
node wet { type: discrete[2] = {"no","yes"}; }
probability ( season ) { // a root
   0.5, 0.3, 0.2;
}
probability ( rain | season ) {
  (2) : 0.25, 0.75;
  (0) : 0.9, 0.1 ;
  default : 0.6, 0.4;
}
probability ( wet | season, rain ) {
  (0, 0) : 0.8, 0.2;
  (0, 1) : 0.15, 0.85;
  (1, 0) : 0.7, 0.3;
  (1, 1) : 0.1, 0.9;
  (2, 0) : 0.55, 0.45;
  (2, 1) : 0.05, 0.95;
}
"""

DNE = """\
// ~->[DNET-1]->~
bnet weather {
whenchanged = 1; /* a comment */
visual V1 {
  nodefont = font {shape= "Arial"; size= 14;};
  NodeSet Node {BuiltIn = 1; Color = 0xc0c0c0;};
  };
node season {
  kind = NATURE;
  discrete = TRUE;
  chance = CHANCE;
  states = (dry, mild, wet);
  parents = ();
  probs =
    // dry  mild  wet
      (0.5, 0.3, 0.2);
  title = "the \\"season\\"; (say) {";
  visual V1 { center = (132, 54); };
  };
node rain {
  states = (no, yes);
  inputs = (link);
  parents = (season);
  probs = ((0.9, 0.1),   // dry
     (0.6, 0.4),
     (0.25, 0.75));
  };
node wet {
  states = (no, yes);
  parents = (season, rain);
  probs = (((0.8, 0.2), (0.15, 0.85)), ((0.7, 0.3), (0.1, 0.9)), ((0.55, 0.45), (0.05, 0.95)));
  }
}
"""

DSL = """\
net weather
{
 HEADER = { ID = weather; NAME = "the { weather"; };
 NUMSAMPLES = 1000;
 node season
 {
  TYPE = CPT;
  HEADER = { ID = season; NAME = "season"; };
  PARENTS = ();
  DEFINITION = { NAMESTATES = (dry, mild, wet); PROBABILITIES = (0.5, 0.3, 0.2); };
 };
 node rain
 {
  TYPE = CPT;
  PARENTS = (season);
  DEFINITION = { NAMESTATES = (no, yes); PROBABILITIES = (0.9, 0.1, 0.6, 0.4, 0.25, 0.75); };
 };
 node wet
 {
  TYPE = CPT;
  PARENTS = (season, rain);
  DEFINITION =
  {
   NAMESTATES = (no, yes);
   PROBABILITIES = (0.8, 0.2, 0.15, 0.85, 0.7, 0.3,
    0.1, 0.9, 0.55, 0.45, 0.05, 0.95);
  };
 };
 OBSERVATION_COST = { node season { PARENTS = (); }; }
}
"""

FILES = {".xmlbif": XMLBIF, ".net": HUGIN, ".uai": UAI, ".xdsl": XDSL, ".dsc": DSC, ".dne": DNE, ".dsl": DSL}
NETWORKS = {suffix: NUMBERED if suffix == ".uai" else NETWORK for suffix in FILES}


def parsed(text: str, suffix: str) -> dc.BayesianNetwork:
    """What `dc.read` makes of a file with this text, without the file."""
    [form] = [form for form in FORMATS if suffix in form.suffixes]
    return form.parse(text, f"network{suffix}")
