import type { Screen } from "./screen.ts";

/** Loyalty programs. */
export const loyalty: readonly Screen[] = [
  {
    path: "/loyalty",
    screen: () => import("../screens/loyalty/programs.tsx"),
    needs: "listPrograms",
    title: "loyalty.title",
    nav: { group: "loyalty", icon: "loyalty" },
  },
  {
    path: "/loyalty/new",
    screen: () => import("../screens/loyalty/new-program.tsx"),
    needs: "createProgram",
    title: "designer.newProgram",
    nav: null,
  },
  {
    path: "/loyalty/:programId",
    screen: () => import("../screens/loyalty/program.tsx"),
    needs: "getProgram",
    title: "loyalty.title",
    nav: null,
  },
  {
    path: "/loyalty/:programId/design",
    screen: () => import("../screens/loyalty/design/designer.tsx"),
    needs: "getProgram",
    title: "designer.open",
    nav: null,
  },
  {
    path: "/loyalty/:programId/members/:memberId",
    screen: () => import("../screens/loyalty/member.tsx"),
    needs: "getProgramMember",
    title: "loyalty.member",
    nav: null,
  },
];
